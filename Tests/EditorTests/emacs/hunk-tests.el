;;; hunk-tests.el --- The diff of a draft, and parts of it -*- lexical-binding: t; -*-

;;; Code:

(require 'support)

(defconst tests-hunks
  '(:edits ((:start 0 :end 3 :newText "ONE") (:start 8 :end 13 :newText "3") (:start 19 :end 23 :newText "FIVE!"))))

(defmacro tests-with-hunks (&rest body)
  "Run BODY in the diff of a draft that changes the first, the third and the last of five words."
  `(tests-with `(("assistant/rephrase" ,(apply #'tests-answer "ONE two 3 four FIVE!" tests-hunks)
                  ,(tests-answer "six")))
       "a\none two three four five\nb\n"
     (tests-region 3 26)
     (tests-keys "C-c i r RET")
     (tests-ready)
     (tests-keys "C-c C-d")
     (let ((text (current-buffer)))
       (ignore text)
       (pop-to-buffer "*inkling diff*")
       ,@body)))

(defun tests-in (buffer)
  "Return the text of BUFFER."
  (with-current-buffer buffer (tests-text)))

(defun tests-undo (buffer)
  "Undo in BUFFER as a command does it that follows another one."
  (with-current-buffer buffer
    (undo-boundary)
    (setq last-command 'other)
    (undo)))

(ert-deftest inkling-test-diff ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "one\n2\nthree\n4\nfive"))) "one\ntwo\nthree\nfour\nfive\n"
    (tests-keys "C-c i r RET")
    (tests-ready)
    (let ((window (selected-window)) (point (point)))
      (tests-keys "C-c C-d")
      (should (equal (list window point) (list (selected-window) (point)))))
    (should (equal (tests-in "*inkling diff*")
                   "--- text\n+++ draft\n@@ -2,1 +2,1 @@\n-two\n+2\n@@ -4,1 +4,1 @@\n-four\n+4\n"))
    (should (equal (tests-text) "one\ntwo\nthree\nfour\nfive\n"))
    (tests-keys "C-c C-k")
    (should-not (get-buffer "*inkling diff*"))
    (should (= (count-windows) 1))))

(ert-deftest inkling-test-single-hunks-are-accepted ()
  (tests-with-hunks
   (should (= (how-many "^@@" (point-min)) 3))
   (tests-keys "M-< C-s @ @ RET n a")
   (should (equal (tests-in text) "a\none two 3 four five\nb\n"))
   (should (= (how-many "^@@" (point-min)) 2))
   (goto-char (point-min))
   (search-forward "+ONE two 3 four five")
   (tests-keys "C-c C-a")
   (should (equal (tests-in text) "a\nONE two 3 four five\nb\n"))
   ;; The rest of the draft is valid, and comes in as a whole.
   (pop-to-buffer text)
   (goto-char 3)
   (tests-keys "C-c C-c")
   (should (equal (tests-text) "a\nONE two 3 four FIVE!\nb\n"))
   (should-not (or inkling--jobs (get-buffer "*inkling diff*") (overlays-in 1 (point-max))))
   (dolist (before '("a\nONE two 3 four five\nb\n" "a\none two 3 four five\nb\n" "a\none two three four five\nb\n"))
     (undo)
     (setq last-command 'undo)
     (should (equal (tests-text) before)))
   (should-not (buffer-modified-p))))

(ert-deftest inkling-test-hunk-that-is-undone-can-be-accepted-again ()
  (tests-with-hunks
   (dolist (line '(3 6 9))
     (goto-char (point-min))
     (forward-line (1- line))
     (unless (eq line 9)
       (tests-keys "a")
       (tests-undo text)
       (should (equal (tests-in text) "a\none two three four five\nb\n"))
       (should (= (how-many "^@@" (point-min)) 3))))
   ;; Redo brings the words back, and with them the draft for what is left.
   (tests-undo text)
   (should (equal (tests-in text) "a\none two 3 four five\nb\n"))
   (should (= (how-many "^@@" (point-min)) 2))
   (should-not (inkling--changed-p (car inkling--jobs)))
   (tests-keys "C-c C-c")
   (should (equal (tests-in text) "a\nONE two 3 four FIVE!\nb\n"))))

(ert-deftest inkling-test-last-hunk-ends-the-draft ()
  (tests-with-hunks
   (dotimes (_ 3)
     (with-current-buffer "*inkling diff*"
       (goto-char (point-min))
       (forward-line 2)
       (inkling-accept-hunk)))
   (should (equal (tests-in text) "a\nONE two 3 four FIVE!\nb\n"))
   (should-not (or inkling--jobs (get-buffer "*inkling diff*")))))

(ert-deftest inkling-test-hunks-of-changed-text-are-refused ()
  (tests-with-hunks
   (with-current-buffer text (goto-char 5) (insert "x"))
   (should (string-match-p "changed" (cadr (should-error (inkling-accept-hunk) :type 'user-error))))
   (should (equal (tests-in text) "a\nonxe two three four five\nb\n"))
   (tests-keys "C-c C-r")
   (tests-ready)
   (should (equal (plist-get (cadr (tests-got "assistant/rephrase")) :text) "onxe two three four five"))
   ;; The diff is that of the draft that is seen.
   (should (string-match-p "^-onxe two three four five\n\\+six\n\\'" (tests-text)))
   (tests-keys "C-c C-c")
   (should (equal (tests-in text) "a\nsix\nb\n"))))

(ert-deftest inkling-test-diff-follows-the-draft ()
  (tests-with '(("assistant/rephrase" ((:result (:text "ein two three" :alternatives ["ein two three" "one two drei"])))
                 ((:until "$/a") (:result (:text "x")))))
      "one two three\n"
    (tests-keys "C-c i r RET")
    (tests-ready)
    (tests-keys "C-c C-d")
    (should (string-match-p "^\\+ein two three$" (tests-in "*inkling diff*")))
    (tests-keys "C-c C-n")
    (should (string-match-p "^\\+one two drei$" (tests-in "*inkling diff*")))
    (tests-keys "C-c C-r")
    (with-current-buffer "*inkling diff*"
      (goto-char (point-max))
      (forward-line -1)
      (should-error (inkling-accept-hunk) :type 'user-error))
    (should (equal (tests-text) "one two three\n"))
    (kill-buffer)
    (should-not (get-buffer "*inkling diff*"))))

(ert-deftest inkling-test-hunks-of-an-alternative ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "x" :alternatives '("x" "ein two drei four 👩‍👩‍👧 cafe\u0301"))))
      "one two three four 👧 cafe\u0301\n"
    (tests-keys "C-c i r RET")
    (tests-ready)
    (tests-keys "C-c C-n C-c C-d")
    (with-current-buffer "*inkling diff*"
      (should (= (how-many "^@@" (point-min)) 3))
      (goto-char (point-max))
      (forward-line -1)
      (inkling-accept-hunk))
    (should (equal (tests-text) "one two three four 👩‍👩‍👧 cafe\u0301\n"))
    (tests-keys "C-c C-c")
    (should (equal (tests-text) "ein two drei four 👩‍👩‍👧 cafe\u0301\n"))))

(ert-deftest inkling-test-compared-edits-lead-to-the-text ()
  (random "inkling")
  (dotimes (_ 300)
    (let ((some (lambda () (mapconcat (lambda (_) (nth (random 6) '("a" "b" " " "\n" "é" "😀")))
                                      (make-list (random 12) nil) ""))))
      (let* ((source (funcall some)) (text (funcall some)) (edits (inkling--edits source (list :text text)))
             (hunks (inkling--hunks source edits)))
        (should (equal (inkling--patched source edits) text))
        (should (equal (apply #'append hunks) edits))
        (with-temp-buffer
          (insert source)
          (dolist (hunk (reverse hunks)) (inkling--apply 1 hunk))
          (should (equal (buffer-string) text)))))))

(ert-deftest inkling-test-diff-of-an-insertion ()
  (tests-with `(("assistant/summarize" ,(tests-answer "S.\nT."))) "one\n"
    (tests-keys "C-c i s RET")
    (tests-ready)
    (tests-keys "C-c C-d")
    (pop-to-buffer "*inkling diff*")
    (should (equal (tests-text) "--- text\n+++ draft\n@@ -1,0 +1,2 @@\n+S.\n+T.\n"))
    (tests-keys "a")
    (should (equal (tests-in "a test") "one\n\nS.\nT.\n"))))

(provide 'hunk-tests)
;;; hunk-tests.el ends here
