;;; draft-tests.el --- Drafts: keys, places, texts that change meanwhile -*- lexical-binding: t; -*-

;;; Code:

(require 'support)

(defun tests-rephrase (&optional start end)
  "Rephrase what stands from START to END, or the paragraph, and wait for the draft."
  (when start (tests-region start end))
  (tests-keys "C-c i r RET")
  (tests-ready))

(ert-deftest inkling-test-accept-is-one-undo-step ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1 2 3 4" :edits '((:start 0 :end 1 :newText "1")
                                                                        (:start 2 :end 3 :newText "2")
                                                                        (:start 4 :end 5 :newText "3")
                                                                        (:start 6 :end 7 :newText "4")))))
      "a b c d\n"
    (goto-char (point-max))
    (tests-keys "e RET")
    (goto-char 1)
    (tests-rephrase 1 8)
    (tests-keys "C-c C-c")
    (should (equal (tests-text) "1 2 3 4\ne\n"))
    (tests-keys "C-/")
    (should (equal (tests-text) "a b c d\ne\n"))
    (should (= (length inkling--jobs) 0))
    (goto-char 1)
    (tests-keys "C-/")
    (should (equal (tests-text) "1 2 3 4\ne\n"))))

(ert-deftest inkling-test-reject-changes-nothing ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1"))) "one\n"
    (tests-rephrase)
    (should (string-match-p "^1\n" (tests-shown)))
    (tests-keys "C-c C-k")
    (should (equal (tests-text) "one\n"))
    (should-not (or inkling--jobs (buffer-modified-p) (overlays-in 1 (point-max))))))

(ert-deftest inkling-test-keys-work-at-both-ends-and-nowhere-else ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1"))) "one\n\nb"
    (text-mode)
    (tests-rephrase 1 4)
    (should (eq (key-binding (kbd "C-c C-c")) #'inkling-accept))
    (goto-char 1)
    (should (eq (key-binding (kbd "C-c C-c")) #'inkling-accept))
    (goto-char (point-max))
    (should-not (eq (key-binding (kbd "C-c C-c")) #'inkling-accept))
    (tests-keys "C-c i a")
    (should (equal (tests-text) "1\n\nb"))))

(ert-deftest inkling-test-quit-cancels-only-its-request ()
  (tests-with '(("assistant/rephrase" ((:text "x") (:seconds 20) (:result (:text "x")))
                 ((:seconds 0.1) (:result (:text "2")))))
      "one\n\ntwo\n"
    (tests-keys "C-c i r RET")
    (tests-until (string-match-p "^x\n" (tests-shown)))
    (goto-char 6)
    (tests-keys "C-c i r RET")
    (goto-char 1)
    (tests-keys "C-g")
    (should (= (length inkling--jobs) 1))
    (tests-ready)
    (should (= (length (tests-got "$/cancelRequest")) 1))
    (goto-char 6)
    (tests-keys "C-c C-c")
    (should (equal (tests-text) "one\n\n2\n"))))

(ert-deftest inkling-test-nothing-comes-after-a-cancellation ()
  (tests-with '(("assistant/rephrase" ((:text "x") (:seconds 0.2 :deaf t) (:text "y" :offset 1)
                                       (:result (:text "xy")))))
      "one\n"
    (let ((inkling-preview nil))
      (tests-keys "C-c i r RET")
      (tests-until (string-match-p "^x\n" (tests-shown)))
      (tests-keys "C-g")
      (tests-until (seq-some (lambda (message) (plist-member message :result)) (cdr (tests-messages :out))))
      (accept-process-output nil 0.05)
      (should (equal (tests-text) "one\n"))
      (should-not (or inkling--jobs (overlays-in 1 (point-max)))))))

(ert-deftest inkling-test-stop-everything ()
  (tests-with '(("assistant/rephrase" ((:seconds 20)))) "one\n\ntwo\n"
    (tests-keys "C-c i r RET")
    (goto-char 6)
    (tests-keys "C-c i r RET C-u C-c i k")
    (should-not inkling--jobs)
    (tests-until (= (length (tests-got "$/cancelRequest")) 2))))

(ert-deftest inkling-test-retry-next-and-instructions ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1") ,(tests-answer "2" :alternatives '("2" "3"))
                 ((:seconds 20)) ,(tests-answer "4")))
      "one\n"
    (tests-rephrase)
    (tests-keys "C-c C-r")
    (tests-ready)
    (should (string-match-p "\\`\n?2\n.*2/3" (tests-shown)))
    (tests-keys "C-c C-n")
    (should (string-match-p "3/3" (tests-shown)))
    (tests-keys "C-c C-n")
    (should (string-match-p "1/3" (tests-shown)))
    ;; To cancel a further draft leaves those that there are.
    (tests-keys "C-c C-r C-g")
    (should (string-match-p "1/3" (tests-shown)))
    (tests-keys "C-c C-e p o l i t e RET")
    (tests-ready)
    (let ((sent (tests-got "assistant/rephrase")))
      (should-not (plist-get (nth 0 sent) :options))
      (should (> (plist-get (plist-get (nth 1 sent) :options) :temperature) 0))
      (should (equal (plist-get (car (last sent)) :instructions) "polite")))
    (tests-keys "C-c C-c")
    (should (equal (tests-text) "4\n"))))

(ert-deftest inkling-test-an-alternative-keeps-markers ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "x" :alternatives '("x" "a B c")))) "a b c\n"
    (let ((c (copy-marker 5)))
      (tests-rephrase)
      (tests-keys "C-c C-n C-c C-c")
      (should (equal (tests-text) "a B c\n"))
      (should (eq (char-after c) ?c))
      (tests-keys "C-/")
      (should (equal (tests-text) "a b c\n")))))

(ert-deftest inkling-test-diff ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "one\n2"))) "one\ntwo\n"
    (tests-rephrase)
    (let ((window (selected-window)) (point (point)))
      (tests-keys "C-c C-d")
      (should (equal (list window point) (list (selected-window) (point)))))
    (with-current-buffer "*inkling diff*"
      (should (string-match-p "\n-two\n\\+2\n" (buffer-string))))
    (should (equal (tests-text) "one\ntwo\n"))))

(ert-deftest inkling-test-changed-text-is-refused-until-retried ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1") ,(tests-answer "2"))) "one two\n"
    (tests-rephrase)
    (goto-char 5)
    (tests-keys "x")
    (should (string-match-p "changed" (cadr (should-error (inkling-accept) :type 'user-error))))
    (should (equal (tests-text) "one xtwo\n"))
    (tests-keys "C-c C-r")
    (tests-ready)
    (should (equal (plist-get (cadr (tests-got "assistant/rephrase")) :text) "one xtwo"))
    (tests-keys "C-c C-c")
    (should (equal (tests-text) "2\n"))))

(ert-deftest inkling-test-region-is-followed ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "2"))) "one\ntwo\nthree\n"
    (tests-rephrase 5 8)
    (goto-char 1)
    (tests-keys "a RET")
    (goto-char (inkling--start (car inkling--jobs)))
    (tests-keys "b")
    (goto-char (inkling--end (car inkling--jobs)))
    (tests-keys "c")
    (goto-char (point-max))
    (tests-keys "d")
    (inkling-accept)
    (should (equal (tests-text) "a\none\nb2c\nthree\nd"))))

(ert-deftest inkling-test-second-draft-for-a-text-is-refused ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1"))) "one\n"
    (tests-rephrase)
    (should-error (inkling-rephrase "formal") :type 'user-error)
    (should (= (length inkling--jobs) 1))))

(ert-deftest inkling-test-replace-at-once ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1"))) "one\n"
    (let ((inkling-preview nil))
      (tests-keys "C-c i r RET")
      (tests-until (equal (tests-text) "1\n")))
    (should-not (overlays-in 1 (point-max)))
    (tests-keys "C-/")
    (should (equal (tests-text) "one\n"))))

(defun tests-place (place content start end)
  "Summarize what stands in CONTENT from START to END to PLACE, accept, and return the text; undo leads back."
  (tests-with `(("assistant/summarize" ,(tests-answer "S."))) content
    (let ((inkling-placement (list (cons 'summarize place))))
      (tests-region start end)
      (tests-keys "C-c i s RET")
      (tests-ready)
      (should (equal (tests-text) content))
      (inkling-accept)
      (prog1 (tests-text)
        (tests-keys "C-/")
        (should (equal (tests-text) content))))))

(ert-deftest inkling-test-below ()
  (should (equal (tests-place 'below "one\ntwo\n" 1 3) "one\n\nS.\n\ntwo\n"))
  (should (equal (tests-place 'below "one\n\ntwo\n" 1 5) "one\n\nS.\n\ntwo\n"))
  (should (equal (tests-place 'below "one\ntwo\n" 1 9) "one\ntwo\n\nS.\n"))
  (should (equal (tests-place 'below "one" 1 4) "one\n\nS.")))

(ert-deftest inkling-test-above ()
  (should (equal (tests-place 'above "one\ntwo\n" 6 8) "one\n\nS.\n\ntwo\n"))
  (should (equal (tests-place 'above "one\n" 2 4) "S.\n\none\n")))

(ert-deftest inkling-test-places-outside-of-the-buffer ()
  (tests-with `(("assistant/summarize" ,(tests-answer "S."))) "one\n"
    (dolist (place '(kill echo buffer))
      (let ((inkling-placement (list (cons 'summarize place))) (window (selected-window)))
        (tests-keys "C-c i s RET")
        (tests-until (null inkling--jobs))
        (should (eq window (selected-window)))
        (should (equal (tests-text) "one\n"))
        (should-not (overlays-in 1 (point-max)))))
    (should (equal (current-kill 0) "S."))
    (should (tests-said-p "\\`S\\.\\'"))
    (should (equal (with-current-buffer "*inkling: Summary, sentences*" (buffer-string)) "S."))
    (tests-keys "C-u C-u C-c i r RET k i l l RET")
    (should (eq (inkling--job-placement (car inkling--jobs)) 'kill))))

(provide 'draft-tests)
;;; draft-tests.el ends here
