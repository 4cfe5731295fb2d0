;;; stream-tests.el --- What comes from the daemon, and when -*- lexical-binding: t; -*-

;;; Code:

(require 'support)

(ert-deftest inkling-test-partial-results-are-cut-to-their-offset ()
  (tests-with '(("assistant/rephrase" ((:text "😀 one") (:text " two" :offset 5) (:until "$/a")
                                       (:text "TWO" :offset 6) (:until "$/b") (:text "anew" :offset 0) (:until "$/c")
                                       (:result (:text "anew")))))
      "x\n"
    (tests-keys "C-c i r RET")
    (tests-until (string-match-p "^😀 one two\n" (tests-shown)))
    (inkling--notify "$/a" nil)
    (tests-until (string-match-p "^😀 one TWO\n" (tests-shown)))
    (inkling--notify "$/b" nil)
    (tests-until (string-match-p "^anew\n.*Writing" (tests-shown)))
    (should (equal (tests-text) "x\n"))
    (inkling--notify "$/c" nil)
    (tests-ready)))

(defun tests-frame (id text &optional member)
  "Return the bytes of a response to ID with TEXT in MEMBER of its result."
  (let ((body (format "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"%s\":\"%s\"}}" id (or member "text") text)))
    (format "Content-Length: %d\r\n\r\n%s" (string-bytes body) body)))

(ert-deftest inkling-test-messages-in-pieces-and-several-at-once ()
  (let* ((three (tests-frame 3 "two é")) (cut (- (length three) 4)))
    (tests-with `(("assistant/rephrase"
                   ((:until "$/a") (:raw ,(substring (tests-frame 2 "one") 0 9)) (:seconds 0.05)
                    (:raw ,(concat (substring (tests-frame 2 "one") 9) (substring three 0 cut))) (:seconds 0.05)
                    (:raw ,(concat (substring three cut) (tests-frame 4 "three"))))
                   ((:seconds 5))))
        "a\n\nb\n\nc\n"
      (dolist (point '(1 4 7)) (goto-char point) (tests-keys "C-c i r RET"))
      (inkling--notify "$/a" nil)
      (tests-ready)
      (should (equal (tests-each :text (mapcar #'inkling--draft inkling--jobs)) '("three" "two é" "one"))))))

(ert-deftest inkling-test-empty-answer-deletes-nothing ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "") ,(tests-answer "\n "))) "one\n"
    (dolist (inkling-preview '(t nil))
      (tests-keys "C-c i r RET")
      (tests-until (null inkling--jobs))
      (should (tests-said-p "empty"))
      (should (equal (tests-text) "one\n"))
      (should-not (overlays-in 1 (point-max))))))

(ert-deftest inkling-test-error-takes-back-what-was-shown ()
  (tests-with '(("assistant/rephrase" ((:text "x") (:until "$/a")
                                       (:error (:code 1001 :message "The model is gone."
                                                      :data (:kind "modelUnavailable" :remedy "Fetch it."))))))
      "one\n"
    (tests-keys "C-c i r RET")
    (tests-until (string-match-p "^x\n" (tests-shown)))
    (inkling--notify "$/a" nil)
    (tests-until (null inkling--jobs))
    (should (tests-said-p "The model is gone\\. Fetch it\\."))
    (should (equal (tests-text) "one\n"))
    (should-not (overlays-in 1 (point-max)))))

(ert-deftest inkling-test-daemon-dies-and-is-started-again ()
  (tests-with '(("assistant/rephrase" ((:text "x") (:until "$/a") (:exit 3)))
                ("assistant/summarize" ((:result (:text "S.")))))
      "one\n"
    (tests-keys "C-c i r RET")
    (tests-until (string-match-p "^x\n" (tests-shown)))
    (inkling--notify "$/a" nil)
    (tests-until (null inkling--jobs))
    (should (tests-said-p "ended\\.  Try again"))
    (should (equal (tests-text) "one\n"))
    (tests-keys "C-c i s RET")
    (tests-ready)
    (should (= (length (tests-got "initialize")) 2))))

(ert-deftest inkling-test-program-that-cannot-work ()
  (tests-with nil "one\n"
    (let ((inkling-program '("no-such-program-at-all")))
      (should (string-match-p "install" (cadr (should-error (tests-keys "C-c i r RET") :type 'user-error)))))
    (let ((inkling-program '("sh" "-c" "echo broken >&2; exit 1")))
      (should (string-match-p "broken" (cadr (should-error (tests-keys "C-c i r RET") :type 'user-error)))))
    (should-not inkling--jobs)))

(ert-deftest inkling-test-huge-answer ()
  (let ((text (mapconcat #'identity (make-list 5000 "forty characters are on each of the lines") "\n")))
    (tests-with `(("assistant/rephrase" ((:text ,text) (:until "$/a") (:result (:text ,text))))) "one\n"
      (tests-keys "C-c i r RET")
      (tests-until (string-match-p "Writing" (tests-shown)))
      ;; A screen can show only so much of it.
      (should (< (length (tests-shown)) 2000))
      (inkling--notify "$/a" nil)
      (tests-ready)
      (let ((start (float-time)))
        (tests-keys "C-c C-c")
        (should (< (- (float-time) start) 3)))
      (should (equal (tests-text) (concat text "\n")))
      (tests-keys "C-/")
      (should (equal (tests-text) "one\n")))))

(ert-deftest inkling-test-ten-requests-at-once ()
  (let ((inkling-preview nil) (others nil))
    (tests-with '(("assistant/rephrase" ((:seconds 0.2) (:text "1") (:result (:text "1")))))
        (mapconcat #'identity (make-list 5 "one\n") "\n")
      (dotimes (i 5)
        (goto-char (1+ (* i 5)))
        (tests-keys "C-c i r RET")
        (with-current-buffer (generate-new-buffer "a test")
          (push (current-buffer) others)
          (insert "one")
          (inkling-rephrase "formal")))
      (should (= (length inkling--jobs) 10))
      (tests-until (null inkling--jobs))
      (should (equal (tests-text) "1\n\n1\n\n1\n\n1\n\n1\n"))
      (dolist (other others)
        (should (equal (with-current-buffer other (tests-text)) "1"))))))

(ert-deftest inkling-test-typing-goes-on-and-nothing-jumps ()
  (tests-with '(("assistant/rephrase" ((:until "$/a") (:text "1\n2\n3") (:result (:text "1\n2\n3"))))) "one\n\ntwo\n"
    (tests-keys "C-c i r RET")
    (goto-char 6)
    (tests-keys "t y p e d")
    (should (equal (tests-text) "one\n\ntypedtwo\n"))
    (let ((first (current-buffer)) (other (generate-new-buffer "a test")))
      (switch-to-buffer other)
      (insert "elsewhere")
      (goto-char 3)
      (inkling--notify "$/a" nil)
      (tests-until (with-current-buffer first (and inkling--jobs (inkling--job-drafts (car inkling--jobs)))))
      (should (eq (current-buffer) other))
      (should (= (count-windows) 1))
      (should (equal (list (point) (tests-text)) '(3 "elsewhere")))
      (switch-to-buffer first)
      (should (= (point) 11))
      (inkling-accept)
      (should (equal (tests-text) "1\n2\n3\n\ntypedtwo\n"))
      (should (looking-at "two")))))

(ert-deftest inkling-test-killed-buffer-cancels ()
  (tests-with '(("assistant/rephrase" ((:seconds 20)))) "one\n"
    (with-current-buffer (generate-new-buffer "a test")
      (insert "two")
      (inkling-rephrase "formal")
      (tests-until (tests-got "assistant/rephrase"))
      (kill-buffer))
    (should-not inkling--jobs)
    (tests-until (tests-got "$/cancelRequest"))))

(ert-deftest inkling-test-nothing-is-left-behind ()
  (tests-with '(("assistant/rephrase" ((:seconds 20)))) ""
    (let ((pid (concat tests-log ".pid")))
      (call-process (expand-file-name invocation-name invocation-directory) nil nil nil "--batch" "-Q"
                    "-l" (locate-library "inkling") "--eval"
                    (format "%S" `(let ((inkling-program '("sh" "-c" ,(format "echo $$ >%s; exec \"$@\"" pid) "x"
                                                           ,@inkling-program)))
                                    (insert "one")
                                    (inkling-rephrase "formal")
                                    (inkling--offer :tones))))
      (let ((number (with-temp-buffer (insert-file-contents pid) (string-to-number (buffer-string)))))
        (should (> number 0))
        (should (equal (plist-get (plist-get (car (tests-got "initialize")) :clientInfo) :name) "Emacs"))
        (tests-until (not (file-directory-p (format "/proc/%d/task" number))))))))

(ert-deftest inkling-test-without-native-json ()
  (cl-letf (((symbol-function 'json-parse-buffer) (lambda (&rest _) (error "There is none")))
            ((symbol-function 'json-serialize) (lambda (&rest _) (error "There is none"))))
    (tests-with `(("assistant/rephrase" ,(tests-answer "2 é 😀" :edits '((:start 0 :end 3 :newText "2 é")))))
        "ein 😀\n"
      (tests-keys "C-c i r RET")
      (tests-ready)
      (should (equal (plist-get (car (tests-got "assistant/rephrase")) :text) "ein 😀"))
      (tests-keys "C-c C-c")
      (should (equal (tests-text) "2 é 😀\n")))))

(ert-deftest inkling-test-progress-and-warnings ()
  (tests-with '(("assistant/rephrase"
                 ((:work (:kind "begin" :title "Rephrase" :percentage 0))
                  (:work (:kind "report" :message "Loading the model" :percentage 40)) (:until "$/a")
                  (:work (:kind "report" :message "Reading the text" :percentage 70)) (:until "$/b")
                  (:work (:kind "end"))
                  (:result (:text "1" :warnings [(:code "protectedTextLost" :message "“one” is missing.")])))))
      "one\n"
    (inkling-mode)
    (tests-keys "C-c i r RET")
    (tests-until (string-match-p "Loading the model 40 %" (tests-shown)))
    (should (equal (inkling-mode-line) " Ink[Loading the model 40 %%]"))
    (inkling--notify "$/a" nil)
    (tests-until (equal (inkling-mode-line) " Ink[Reading the text 70 %%]"))
    (inkling--notify "$/b" nil)
    (tests-ready)
    ;; The other four of the five tokens took 60 ms.
    (should (equal (inkling-mode-line) " Ink[67 tokens/s]"))
    (should (string-match-p "“one” is missing" (tests-shown)))
    (tests-keys "C-c C-k")
    (should (equal (inkling-mode-line) " Ink"))))

(ert-deftest inkling-test-availability-is-in-the-mode-line ()
  (tests-with '(("assistant/rephrase"
                 ((:notify ["model/didChangeAvailability" (:availability (:state "loading" :progress 0.5))])
                  (:until "$/a")
                  (:notify ["model/didChangeAvailability"
                            (:availability (:state "unavailable" :reason "modelNotFound"))])
                  (:error (:code 1001 :message "There is no model." :data (:remedy "Fetch one."))))
                 ((:notify ["model/didChangeAvailability"
                            (:availability (:state "unavailable" :reason "unloaded"))])
                  (:result (:text "one")))))
      "one\n"
    (let ((inkling-placement '((rephrase . echo))))
      (tests-keys "C-c i r RET")
      (tests-until inkling--availability)
      ;; What a request says of itself goes first; that of others is shown too.
      (let ((inkling--jobs nil)) (should (equal (inkling-mode-line) " Ink[loading 50 %%]")))
      (inkling--notify "$/a" nil)
      (tests-until (tests-said-p "There is no model\\. Fetch one\\."))
      (should (equal (inkling-mode-line) " Ink[no model]"))
      (tests-keys "C-c i r RET")
      (tests-until (null inkling--jobs))
      (should (equal (inkling-mode-line) " Ink")))))

(ert-deftest inkling-test-remote-buffers-use-the-local-program ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1"))) "one\n"
    (setq default-directory "/nosuchmethod:host:/tmp/")
    (tests-keys "C-c i r RET")
    (tests-ready)
    (should (equal (process-command inkling--process) inkling-program))))

(provide 'stream-tests)
;;; stream-tests.el ends here
