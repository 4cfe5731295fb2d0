;;; chat-tests.el --- Chats, and the real program -*- lexical-binding: t; -*-

;;; Code:

(require 'support)

(defun tests-type (text)
  "Type TEXT into the chat and send it."
  (goto-char (point-max))
  (insert text)
  (tests-keys "RET"))

(defun tests-idle-p ()
  "Whether the chat waits for a message."
  (not (plist-get inkling--chat :id)))

(defmacro tests-chat (plays &rest body)
  "Run BODY in a chat whose answers are PLAYS."
  (declare (indent 1))
  `(tests-with (list (cons "assistant/chat" ,plays) '("session/create" ((:result (:session nil))))
                     '("session/rewind" ((:result (:session nil)))) '("session/delete" ((:result nil))))
       "one\n"
     (tests-keys "C-c i t")
     ,@body))

(ert-deftest inkling-test-chat ()
  (tests-chat '(((:text "Hel") (:until "$/a") (:text "Good" :offset 0) (:text " day 😀." :offset 4)
                 (:result (:text "Good day 😀.")))
                ((:text "Bye.") (:result (:text "Bye."))))
    (tests-type "Hello?")
    (tests-until (string-match-p "Hello\\?\n\nHel> " (tests-text)))
    ;; The next message can be typed meanwhile.
    (insert "And ")
    (inkling--notify "$/a" nil)
    (tests-until (tests-idle-p))
    (should (equal (tests-text) "Hello?\n\nGood day 😀.\n\n> And "))
    (should (= (point) (point-max)))
    (tests-type "now?")
    (tests-until (tests-idle-p))
    (should (equal (tests-text) "Hello?\n\nGood day 😀.\n\nAnd now?\n\nBye.\n\n> "))
    (should (equal (tests-each :message (tests-got "assistant/chat")) '("Hello?" "And now?")))
    (should (= (length (tests-got "session/create")) 1))
    (goto-char (point-min))
    (should-error (insert "x") :type 'text-read-only)
    (kill-buffer)
    (tests-until (tests-got "session/delete"))))

(ert-deftest inkling-test-chat-stop-retry-and-undo ()
  (tests-chat '(((:text "One.") (:result (:text "One."))) ((:text "Tw") (:seconds 20))
                ((:text "Two.") (:result (:text "Two."))) ((:error (:code 1009 :message "Nothing."))))
    (tests-type "a")
    (tests-until (tests-idle-p))
    (tests-type "b")
    (tests-until (string-match-p "b\n\nTw> " (tests-text)))
    (should-error (inkling-chat-retry) :type 'user-error)
    (tests-keys "C-c C-k")
    (should (equal (tests-text) "a\n\nOne.\n\n> b"))
    (tests-until (tests-got "$/cancelRequest"))
    (delete-region (inkling--chat-input) (point-max))
    (tests-keys "C-c C-r")
    (tests-until (tests-idle-p))
    (should (equal (tests-text) "a\n\nTwo.\n\n> "))
    (should (plist-get (nth 2 (tests-got "assistant/chat")) :retry))
    ;; A further answer that fails leaves the one that there is.
    (tests-keys "C-c C-r")
    (tests-until (tests-idle-p))
    (should (equal (tests-text) "a\n\nTwo.\n\n> "))
    (tests-keys "C-c C-u")
    (should (equal (tests-text) "> a"))
    (tests-until (tests-got "session/rewind"))))

(ert-deftest inkling-test-chat-goes-on-after-the-daemon-died ()
  (tests-chat '(((:text "One.") (:result (:text "One."))))
    (tests-type "a")
    (tests-until (tests-idle-p))
    (delete-process inkling--process)
    (tests-until (null inkling--process))
    (tests-type "b")
    (tests-until (tests-idle-p))
    (let ((made (cadr (tests-got "session/create"))))
      (should (equal (tests-each :text (plist-get made :transcript)) '("a" "One."))))
    (should (equal (tests-text) "a\n\nOne.\n\nb\n\nOne.\n\n> "))))

(ert-deftest inkling-test-chat-session-that-was-lost ()
  (tests-chat '(((:text "One.") (:result (:text "One.")))
                ((:error (:code 1003 :message "There is no such session."))) ((:result (:text "Two."))))
    (tests-type "a")
    (tests-until (tests-idle-p))
    (tests-type "b")
    (tests-until (and (tests-idle-p) (string-match-p "Two" (tests-text))))
    (should (equal (tests-text) "a\n\nOne.\n\nb\n\nTwo.\n\n> "))
    (should (= (length (tests-got "session/create")) 2))))

;;;; The real program

(defmacro tests-real (content &rest body)
  "Run BODY in a buffer with CONTENT, beside the real program."
  (declare (indent 1))
  `(let* ((folder (make-temp-file "inkling-real" t)) (binary (or (getenv "INKLING_BINARY") "inkling"))
          (process-environment (append (mapcar (lambda (name) (concat name "=" folder))
                                               '("XDG_RUNTIME_DIR" "XDG_STATE_HOME" "XDG_CONFIG_HOME"))
                                       process-environment)))
     (skip-unless (or (getenv "INKLING_BINARY") (executable-find binary)))
     (unwind-protect
         (tests-with nil ,content
           (setq inkling-program (list binary "connect"))
           ,@body)
       (call-process binary nil nil nil "stop" "--force")
       (delete-directory folder t))))

(ert-deftest inkling-test-real-rephrase ()
  (tests-real "😀 cafe\u0301\n\ngonna be late tmrw, train's broken again\n"
    (goto-char 11)
    (tests-keys "C-c i r RET")
    (tests-until (inkling--job-drafts (car inkling--jobs)) 50)
    (let* ((before (tests-text)) (job (car inkling--jobs)) (draft (inkling--draft job))
           (text (plist-get draft :text)) (source (inkling--job-source job)))
      (should (equal source "gonna be late tmrw, train's broken again"))
      (should (equal (inkling--patched source (plist-get draft :edits)) text))
      (tests-keys "C-c C-c")
      (should (equal (tests-text) (replace-regexp-in-string (regexp-quote source) text before t t)))
      ;; A small model may leave a text as it is.
      (unless (equal text source)
        (tests-keys "C-/")
        (should (equal (tests-text) before))))))

(ert-deftest inkling-test-real-summary-and-ideas ()
  (tests-real "The ferry left at nine. It was full, and the sea was rough. Nobody complained, though.\n"
    (tests-keys "C-c i s h e a d l i n e RET")
    (tests-until (inkling--job-drafts (car inkling--jobs)) 50)
    (tests-keys "C-c C-c")
    (should (string-match-p "though\\.\n\n.+\n\\'" (tests-text)))
    (tests-keys "M-2 C-c i b t a g s RET f e r r i e s RET")
    (tests-until (inkling--job-drafts (car inkling--jobs)) 50)
    (tests-keys "C-c i i")
    (tests-until (tests-said-p "requests, 0 failed, 1 clients"))))

(ert-deftest inkling-test-real-chat ()
  (tests-real "\n"
    (tests-keys "C-c i t")
    (tests-type "Tell a long story.")
    (tests-until (string-match-p "story\\.\n\n[^>]" (tests-text)) 50)
    (tests-keys "C-c C-k")
    (should (equal (tests-text) "> Tell a long story."))
    ;; The daemon has heard it too: the session is free for the next message.
    (tests-keys "RET")
    (tests-until (string-match-p "story\\.\n\n[^>]" (tests-text)) 50)
    (should-not (tests-said-p "at work"))))

(ert-deftest inkling-test-real-kept-chat ()
  (tests-real "\n"
    (tests-keys "C-c i t")
    (tests-type "Say hello.")
    (tests-until (tests-idle-p) 50)
    (let ((said (tests-text)))
      (tests-keys "C-c C-s SPC t w i c e RET")
      (kill-buffer)
      (delete-process inkling--process)
      (tests-until (null inkling--process))
      (tests-keys "C-c i l S TAB RET")
      (should (equal (buffer-name) "*inkling chat: Say hello. twice*"))
      (should (equal (tests-text) said))
      (tests-type "And goodbye.")
      (tests-until (string-match-p "goodbye\\.\n\n[^>]" (tests-text)) 50)
      (tests-until (tests-idle-p) 50)
      (should (= (length (plist-get inkling--chat :turns)) 2)))
    (tests-keys "C-u C-c i l S TAB RET y e s RET")
    (should-error (inkling-sessions nil) :type 'user-error)))

(ert-deftest inkling-test-real-models ()
  (tests-real "\n"
    (should (seq-some (lambda (model) (plist-get model :inUse)) (inkling--models)))
    ;; No daemon runs, so that nothing is asked.
    (inkling-choose-model (plist-get (car (inkling--models)) :path))
    (should (tests-said-p "from the next start on"))
    (should (string-match-p "not there" (cadr (should-error (inkling-choose-model "/no/such/file.gguf")
                                                            :type 'user-error))))))

(provide 'chat-tests)
;;; chat-tests.el ends here
