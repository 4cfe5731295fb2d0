;;; selection-tests.el --- What is sent, and what is changed -*- lexical-binding: t; -*-

;;; Code:

(require 'support)

(defun tests-round (content start end source answer &rest more)
  "Rephrase SOURCE, which stands in CONTENT from START to END, to ANSWER; accept it, and undo that.
MORE are members of the result.  START nil selects nothing, and END is where point is."
  (tests-with `(("assistant/rephrase" ,(apply #'tests-answer answer more))) content
    (if start (tests-region start end) (goto-char end))
    (tests-keys "C-c i r RET")
    (tests-ready)
    (should (equal (plist-get (car (tests-got "assistant/rephrase")) :text) source))
    (should (equal (tests-text) content))
    (should-not (buffer-modified-p))
    (goto-char (inkling--start (car inkling--jobs)))
    (tests-keys "C-c C-c")
    (let ((where (string-match (regexp-quote source) content (if start (1- start) 0))))
      (should (equal (tests-text) (concat (substring content 0 where) answer
                                          (substring content (+ where (length source)))))))
    (should-not (overlays-in (point-min) (point-max)))
    (setq last-command 'other)
    (undo)
    (should (equal (tests-text) content))
    (should-not (buffer-modified-p))
    (should-not (overlays-in (point-min) (point-max)))))

(ert-deftest inkling-test-characters-are-selected ()
  (tests-round "one two three\n" 5 8 "two" "2"))

(ert-deftest inkling-test-lines-are-selected ()
  (tests-round "one\ntwo\nthree\n" 5 9 "two\n" "2\n"))

(ert-deftest inkling-test-part-of-two-lines-is-selected ()
  (tests-round "one two\nthree four\n" 5 14 "two\nthree" "2\n3"))

(ert-deftest inkling-test-whole-buffer-is-selected ()
  (tests-round "one\ntwo" 1 8 "one\ntwo" "1\n2"))

(ert-deftest inkling-test-start-of-buffer-is-selected ()
  (tests-round "one two\n" 1 4 "one" "1"))

(ert-deftest inkling-test-end-of-buffer-is-selected ()
  (tests-round "one\ntwo" 5 8 "two" "2"))

(ert-deftest inkling-test-paragraph-at-point ()
  (tests-round "a\n\none\ntwo\n\nb\n" nil 6 "one\ntwo" "1\n2"))

(ert-deftest inkling-test-paragraph-without-last-line-end ()
  (tests-round "a\n\none\ntwo" nil 11 "one\ntwo" "1\n2"))

(ert-deftest inkling-test-blank-line-has-no-text ()
  (tests-with nil "a\n\nb\n"
    (goto-char 3)
    (should-error (inkling-rephrase "formal") :type 'user-error)
    (should-not inkling--jobs)))

(ert-deftest inkling-test-positions-with-emoji-and-marks ()
  ;; The offsets count scalars: the family is five of them, e with an accent of its own two.
  (tests-round "👩‍👩‍👧 cafe\u0301 nice 日本\n" 1 19 "👩‍👩‍👧 cafe\u0301 nice 日" "👩‍👩‍👧 cafe\u0301 fine 日"
               :edits '((:start 12 :end 16 :newText "fine"))))

(ert-deftest inkling-test-emoji-before-the-selection ()
  (tests-round "😀😀 one two\n" 8 11 "two" "😀" :edits '((:start 0 :end 3 :newText "😀"))))

(ert-deftest inkling-test-tabs-stay ()
  (tests-round "\tone\ttwo\n\t\tthree\n" 1 18 "\tone\ttwo\n\t\tthree\n" "\tone\ttwo\n\t\t3\n"
               :edits '((:start 11 :end 16 :newText "3"))))

(ert-deftest inkling-test-backslashes-stay ()
  (tests-round "\\emph{a} \\\\ $x_1$\n" 1 18 "\\emph{a} \\\\ $x_1$" "\\emph{b} \\\\& \\1 $x_1$"))

(ert-deftest inkling-test-fences-and-blank-edges-stay ()
  (tests-round "a\n\n\n```\nx\n```\n\n\nb\n" 2 17 "\n\n\n```\nx\n```\n\n\n" "\n\n\n```\ny\n```\n\n\n"))

(ert-deftest inkling-test-wrong-edits-do-no-harm ()
  (tests-round "one two three\n" 5 8 "two" "2" :edits '((:start 0 :end 99 :newText "x"))))

(ert-deftest inkling-test-point-and-markers-stay ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "a B c DD e" :edits '((:start 2 :end 3 :newText "B")
                                                                           (:start 6 :end 7 :newText "DD")))))
      "x a b c d e y\n"
    (tests-region 3 12)
    (tests-keys "C-c i r RET")
    (tests-ready)
    (let ((c (copy-marker 7)) (e (copy-marker 11)) (y (copy-marker 13)))
      (goto-char 11)
      (tests-keys "C-c C-c")
      (should (equal (tests-text) "x a B c DD e y\n"))
      (should (equal (mapcar #'char-after (list c e y (point))) '(?c ?e ?y ?e))))))

(ert-deftest inkling-test-rectangle-is-refused ()
  (tests-with nil "one\ntwo\n"
    (goto-char 1)
    (rectangle-mark-mode)
    (goto-char 6)
    (should-error (inkling-rephrase "formal") :type 'user-error)
    (should-not inkling--jobs)))

(ert-deftest inkling-test-narrowing-stays ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "2"))) "one\ntwo\nthree\n"
    (narrow-to-region 5 8)
    (let ((inkling-context 100)) (tests-keys "C-x h C-c i r RET"))
    (tests-ready)
    (let ((context (plist-get (car (tests-got "assistant/rephrase")) :context)))
      (should-not (plist-get context :before))
      (should-not (plist-get context :after)))
    (goto-char (point-min))
    (tests-keys "C-c C-c")
    (should (equal (tests-text) "2"))
    (should (buffer-narrowed-p))
    (widen)
    (should (equal (tests-text) "one\n2\nthree\n"))))

(ert-deftest inkling-test-folded-text-is-part-of-it ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "* one\nthree\n"))) "* one\ntwo\n* next\n"
    (outline-mode)
    (outline-hide-body)
    (tests-region 1 11)
    (tests-keys "C-c i r RET")
    (tests-ready)
    (should (equal (plist-get (car (tests-got "assistant/rephrase")) :text) "* one\ntwo\n"))
    (inkling-accept)
    (should (equal (tests-text) "* one\nthree\n* next\n"))))

(ert-deftest inkling-test-read-only-is-refused ()
  (tests-with `(("assistant/summarize" ,(tests-answer "Short."))) "one two\n"
    (add-text-properties 1 3 '(read-only t))
    (should-error (inkling-rephrase "formal") :type 'user-error)
    (let ((inhibit-read-only t)) (remove-text-properties 1 3 '(read-only nil)))
    (setq buffer-read-only t)
    (should-error (inkling-rephrase "formal") :type 'buffer-read-only)
    (should-not inkling--jobs)
    ;; A summary of it can be read all the same.
    (inkling-summarize "sentences")
    (tests-until (get-buffer "*inkling: Summary, sentences*"))
    (should (equal (tests-text) "one two\n"))))

(ert-deftest inkling-test-line-ends-of-dos-stay ()
  (let ((file (make-temp-file "inkling-tests")))
    (unwind-protect
        (tests-with `(("assistant/rephrase" ,(tests-answer "1\n2"))) ""
          (let ((coding-system-for-write 'no-conversion)) (write-region "one\r\ntwo\r\nthree\r\n" nil file nil 'quiet))
          (find-file file)
          (should (eq (coding-system-eol-type buffer-file-coding-system) 1))
          (tests-region 1 8)
          (tests-keys "C-c i r RET")
          (tests-ready)
          (inkling-accept)
          (save-buffer)
          (with-temp-buffer
            (set-buffer-multibyte nil)
            (insert-file-contents-literally file)
            (should (equal (buffer-string) "1\r\n2\r\nthree\r\n")))
          (kill-buffer (get-file-buffer file)))
      (delete-file file))))

(ert-deftest inkling-test-bytes-are-refused ()
  (tests-with nil (concat "one " (string #x3fff80) "\n")
    (should (string-match-p "byte at 5" (cadr (should-error (inkling-rephrase "formal") :type 'user-error))))
    (erase-buffer)
    (set-buffer-multibyte nil)
    (insert "caf\351")
    (should-error (inkling-rephrase "formal") :type 'user-error)
    (should-not inkling--jobs)))

(ert-deftest inkling-test-nul-goes-there-and-back ()
  (tests-round "a\0b\n" 1 4 "a\0b" "c\0d"))

(provide 'selection-tests)
;;; selection-tests.el ends here
