;;; support.el --- What the tests of the Emacs plugin share -*- lexical-binding: t; -*-

;;; Commentary:

;; A test writes a script for scripted_daemon.py, fills a buffer, and drives the plugin by keys.  Every wait has a
;; deadline, and the log of the daemon says what was sent.

;;; Code:

(require 'ert)
(require 'inkling)

(defconst tests-folder (file-name-directory (or load-file-name buffer-file-name)) "Where the tests are.")
(defvar tests-log nil "The file with what the daemon got and sent.")
(defvar tests-said nil "What was shown in the echo area, the last first.")

(transient-mark-mode)
(global-set-key (kbd "C-c i") 'inkling-map)
(setq make-backup-files nil auto-save-default nil inkling-prewarm-delay 0.05)

(defun tests-note (format &rest values)
  "Keep the message FORMAT with VALUES."
  (when format (push (apply #'format-message format values) tests-said)))
(advice-add 'message :before #'tests-note)

(defmacro tests-with (methods content &rest body)
  "Run BODY in a selected buffer with CONTENT, beside a daemon that plays METHODS: ((METHOD PLAY...)...)."
  (declare (indent 2))
  `(tests-run ,methods ,content (lambda () ,@body)))

(defun tests-run (methods content body)
  "Call BODY as `tests-with' says with METHODS and CONTENT."
  (let* ((folder (make-temp-file "inkling-tests" t)) (script (expand-file-name "script.json" folder))
         (tests-log (expand-file-name "log" folder)) (tests-said nil)
         (inkling-program (list "python3" (expand-file-name "../scripted_daemon.py" tests-folder) script tests-log))
         (inkling-tone "formal") (inkling-voice nil) (inkling--last-id 0) (buffer (generate-new-buffer "a test")))
    (with-temp-file script
      (insert (json-encode
               (list (cons "methods" (cl-loop for (method . plays) in methods
                                              collect (cons method (vconcat (mapcar #'vconcat plays)))))))))
    (unwind-protect
        (progn
          (switch-to-buffer buffer)
          (delete-other-windows)
          (setq buffer-undo-list nil)
          (insert content)
          (goto-char (point-min))
          (set-buffer-modified-p nil)
          (setq buffer-undo-list nil)
          (funcall body))
      (inkling-mode -1)
      (mapc #'inkling--drop inkling--jobs)
      (when inkling--process
        (delete-process inkling--process)
        (tests-until (null inkling--process)))
      (dolist (other (buffer-list))
        (when (string-match-p "\\`\\(?:a test\\|\\*inkling\\)" (buffer-name other))
          (with-current-buffer other (set-buffer-modified-p nil))
          (kill-buffer other)))
      (delete-directory folder t))))

(defmacro tests-until (condition &optional seconds)
  "Wait for CONDITION, for SECONDS or 10."
  `(let ((deadline (+ (float-time) ,(or seconds 10))))
     (while (not ,condition)
       (when (> (float-time) deadline) (error "Waited for %S; said: %S" ',condition tests-said))
       (accept-process-output nil 0.01))))

(defun tests-keys (keys)
  "Press KEYS."
  (execute-kbd-macro (kbd keys)))

(defun tests-region (start end)
  "Select what stands from START to END, with point at the end."
  (goto-char start)
  (push-mark (point) t t)
  (goto-char end))

(defun tests-got (method)
  "Return the parameters of all METHOD messages that the daemon got, the first one first."
  (tests-each :params (seq-filter (lambda (message) (equal (plist-get message :method) method)) (tests-messages :in))))

(defun tests-messages (key)
  "Return what stands under KEY in the daemon's log."
  (when (file-exists-p tests-log)
    (with-temp-buffer
      (set-buffer-multibyte nil)
      (insert-file-contents-literally tests-log)
      (let ((found nil))
        ;; The last line may not be whole yet.
        (while (search-forward "\n" nil t)
          (save-restriction
            (narrow-to-region (line-beginning-position 0) (point))
            (goto-char (point-min))
            (let ((message (plist-get (inkling--decode) key)))
              (when message (push message found)))
            (goto-char (point-max))))
        (nreverse found)))))

(defun tests-each (key plists)
  "Return the members KEY of PLISTS."
  (mapcar (lambda (plist) (plist-get plist key)) plists))

(defun tests-ready ()
  "Wait until all drafts are written."
  (tests-until (and inkling--jobs (seq-every-p #'inkling--job-drafts inkling--jobs)
                    (not (seq-some #'inkling--job-id inkling--jobs)))))

(defun tests-shown ()
  "Return what the latest job shows behind its text."
  (substring-no-properties (or (overlay-get (inkling--job-view (car inkling--jobs)) 'after-string) "")))

(defun tests-text ()
  "Return the text of the current buffer."
  (buffer-substring-no-properties (point-min) (point-max)))

(defun tests-said-p (pattern)
  "Whether something that matches PATTERN was shown in the echo area."
  (seq-some (lambda (text) (string-match-p pattern text)) tests-said))

(defun tests-answer (text &rest more)
  "Return a play that answers with TEXT and MORE members."
  (list (list :result (append (list :text text) more))))

(provide 'support)
;;; support.el ends here
