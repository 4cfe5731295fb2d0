;;; choice-tests.el --- Models, chats that are kept, and the package itself -*- lexical-binding: t; -*-

;;; Code:

(require 'support)
(require 'checkdoc)

;;;; Models

(defun tests-program (status)
  "Make `inkling-program' one that knows of models; STATUS is that of `inkling status'.
Return the file in which it notes what it was asked to do."
  (let* ((folder (file-name-directory tests-log)) (program (expand-file-name "inkling" folder))
         (notes (expand-file-name "notes" folder)))
    (with-temp-file program
      (insert (format "#!/bin/sh
case \"$1 ${2:-}\" in
'connect ') exec %s ;;
'models list') cat <<'END'
%s
END
;;
'models use') case $3 in */broken.gguf) echo 'inkling: it is no model' >&2; exit 1 ;; esac
  echo \"use $3\" >>%s; echo \"$3 is the model from the next start on.\" ;;
'status ') exit %d ;;
'stop ') echo stop >>%s; echo 'Stopped the daemon.' ;;
esac
" (mapconcat #'shell-quote-argument inkling-program " ")
(json-encode '(:models [(:name "small é" :path "/m/small.gguf" :inUse t :sizeBytes 98362432 :architecture "llama"
                         :quantization "Q4_1" :fits "yes")
                        (:name "large" :path "/m/large.gguf" :inUse :json-false :sizeBytes 4000000000
                         :architecture "llama" :fits "tight")
                        (:name "large" :path "/n/broken.gguf" :inUse :json-false :sizeBytes 1 :architecture "llama"
                         :fits "no")]))
notes status notes)))
    (set-file-modes program #o700)
    (setq inkling-program (list program "connect"))
    notes))

(ert-deftest inkling-test-choose-model ()
  (tests-with nil "one\n"
    (let ((notes (tests-program 0)))
      ;; What does not stand in the list is not taken, and a name that is there twice is a path.
      (tests-keys "C-c i o s m a l l TAB RET n")
      (should (tests-said-p "small\\.gguf is the model from the next start on"))
      (tests-keys "C-c i o / m / TAB RET y")
      (should (tests-said-p "Stopped the daemon\\.  It starts again, with the new model"))
      (should (string-match-p "it is no model"
                              (cadr (should-error (tests-keys "C-c i o / n / TAB RET") :type 'user-error))))
      (with-temp-buffer
        (insert-file-contents notes)
        (should (equal (buffer-string) "use /m/small.gguf\nuse /m/large.gguf\nstop\n"))))))

(ert-deftest inkling-test-choose-model-without-a-daemon ()
  (tests-with nil "one\n"
    (tests-program 3)
    ;; Nothing is there to be stopped, and so nothing is asked.
    (tests-keys "C-c i o s m a l l TAB RET")
    (should (equal (car tests-said) "/m/small.gguf is the model from the next start on."))
    (should-not inkling--process)
    (setq inkling-program '("inkling" "serve"))
    (should (string-match-p "connect" (cadr (should-error (inkling--models) :type 'user-error))))))

;;;; Chats that are kept

(defun tests-session (id title &optional persisted)
  "Return a session called ID with TITLE, PERSISTED unless that is given, as the daemon tells of it."
  (list :sessionId id :title title :turns 1 :persisted (or persisted t) :updatedAt "2026-01-05T10:01:12Z"))

(defmacro tests-with-sessions (&rest body)
  "Run BODY beside a daemon that keeps a session, and another one that is not kept."
  `(tests-with `(("session/list" ((:result (:sessions [,(tests-session "film" "A film") ,(tests-session "old" "")
                                                       ,(tests-session "own" "Own" :json-false)]))))
                 ("session/get"
                  ((:result (:session ,(tests-session "film" "A film")
                             :transcript [(:role "instructions" :text "Be brief.") (:role "prompt" :text "Who?")
                                          (:role "toolCall" :name "x") (:role "response" :text "An owl.\nA shy one.")
                                          (:role "prompt" :text "Tags?")
                                          (:role "response" :value (:tags ["a" "b"]))]))))
                 ("session/create" ((:result (:session ,(tests-session "x" "")))))
                 ("session/delete" ((:result nil))) ("session/update" ((:result (:session nil))))
                 ("assistant/chat" ((:result (:text "Bye.")))))
       "one\n"
     ,@body))

(ert-deftest inkling-test-kept-chat-goes-on ()
  (tests-with-sessions
   (tests-keys "C-c i l A SPC f TAB RET")
   (should (equal (buffer-name) "*inkling chat: A film*"))
   (should (equal (tests-text) "Who?\n\nAn owl.\nA shy one.\n\nTags?\n\ntags: \n- a\n- b\n\n\n> "))
   (goto-char (point-max))
   (insert "And?")
   (tests-keys "RET")
   (tests-until (not (plist-get inkling--chat :id)))
   (should (equal (plist-get (car (tests-got "assistant/chat")) :sessionId) "film"))
   (should-not (tests-got "session/create"))
   ;; The daemon may have been another one since then: the session is on the disk.
   (delete-process inkling--process)
   (tests-until (null inkling--process))
   (insert "And?")
   (tests-keys "RET")
   (tests-until (not (plist-get inkling--chat :id)))
   (should (equal (plist-get (cadr (tests-got "assistant/chat")) :sessionId) "film"))
   ;; The same chat is not opened twice, and does not end with its buffer.
   (let ((chat (current-buffer)))
     (switch-to-buffer "a test")
     (tests-keys "C-c i l A SPC f TAB RET")
     (should (eq (current-buffer) chat))
     (kill-buffer chat))
   (should-not (tests-got "session/create"))
   (should-not (tests-got "session/delete"))))

(ert-deftest inkling-test-kept-chat-is-deleted ()
  (tests-with-sessions
   (tests-keys "C-u C-c i l A SPC f TAB RET n o RET")
   (should-not (tests-got "session/delete"))
   ;; Those that end with their buffers are not offered.
   (cl-letf (((symbol-function 'completing-read) (lambda (_ table &rest _) (user-error "%s" (mapcar #'car table)))))
     (should (equal (should-error (inkling-sessions t)) '(user-error "(old A film)"))))
   (tests-keys "C-u C-c i l o l d RET y e s RET")
   (should (equal (tests-each :sessionId (tests-got "session/delete")) '("old")))))

(ert-deftest inkling-test-chat-is-kept ()
  (tests-with-sessions
   (tests-keys "C-c i t")
   (insert "A long\nmessage")
   (tests-keys "RET")
   (tests-until (not (plist-get inkling--chat :id)))
   (let ((first (car (tests-got "session/create"))))
     (should (equal (plist-get first :title) "A long"))
     (should-not (plist-get first :persist))
     (tests-keys "C-c C-s SPC 2 RET")
     (tests-until (cdr (tests-got "session/create")))
     (let ((second (cadr (tests-got "session/create"))))
       (should (equal (plist-get second :title) "A long 2"))
       (should (eq (plist-get second :persist) t))
       (should (equal (tests-each :text (plist-get second :transcript)) '("A long\nmessage" "Bye.")))
       (should (equal (tests-each :sessionId (tests-got "session/delete")) (list (plist-get first :sessionId))))
       ;; Once it is kept, the same key gives it another title.
       (tests-keys "C-c C-s SPC 3 RET")
       (should (= (length (tests-got "session/create")) 2))
       (should (equal (cadr (tests-got "session/update"))
                      (list :sessionId (plist-get second :sessionId) :title "A long 2 3")))))
   (let ((inkling-keep-chats t))
     (switch-to-buffer "a test")
     (tests-keys "C-u C-c i t")
     (insert "x")
     (tests-keys "RET")
     (tests-until (not (plist-get inkling--chat :id)))
     (should (eq (plist-get (nth 2 (tests-got "session/create")) :persist) t)))))

;;;; The package

(defconst tests-package (locate-library "inkling.el") "The file of the package.")

(ert-deftest inkling-test-compiles-without-a-warning ()
  (let* ((folder (make-temp-file "inkling-tests" t)) (byte-compile-error-on-warn t)
         (byte-compile-dest-file-function (lambda (_) (expand-file-name "inkling.elc" folder))))
    (unwind-protect (should (eq (byte-compile-file tests-package) t))
      (delete-directory folder t))))

(ert-deftest inkling-test-docstrings-are-in-order ()
  (let ((found nil))
    (cl-letf (((symbol-function 'checkdoc-create-error)
               (lambda (text start &rest _) (push (format "%s: %s" (line-number-at-pos start) text) found) nil)))
      (with-current-buffer (find-file-noselect tests-package)
        (unwind-protect (let ((checkdoc-autofix-flag nil)) (checkdoc-current-buffer t))
          (kill-buffer))))
    (should-not found))
  ;; And none is missing where a user looks.
  (mapatoms (lambda (symbol)
              (when (string-match-p "\\`inkling-[^-]" (symbol-name symbol))
                (when (or (commandp symbol) (functionp symbol)) (should (documentation symbol)))
                (when (custom-variable-p symbol) (should (get symbol 'custom-type)))))))

(ert-deftest inkling-test-is-installed-as-a-package ()
  (let ((folder (make-temp-file "inkling-tests" t)))
    (unwind-protect
        (with-temp-buffer
          ;; In an Emacs of its own, whose keys are bound to what is loaded from there then.
          (call-process (expand-file-name invocation-name invocation-directory) nil t nil "--batch" "-Q" "--eval"
                        (format "%S" `(progn
                                        (require 'package)
                                        (setq package-user-dir ,folder package-archives nil)
                                        (package-install-file ,tests-package)
                                        (global-set-key (kbd "C-c i") 'inkling-map)
                                        (message "bound: %s" (key-binding (kbd "C-c i r")))
                                        (dolist (name '(inkling-chat inkling-mode inkling-sessions inkling-doctor))
                                          (message "%s: %s" name (commandp name))))))
          (dolist (line '("bound: inkling-rephrase" "inkling-chat: t" "inkling-mode: t" "inkling-sessions: t"
                          "inkling-doctor: t"))
            (goto-char (point-min))
            (ert-info ((buffer-string)) (should (search-forward line nil t)))))
      (delete-directory folder t))))

(provide 'choice-tests)
;;; choice-tests.el ends here
