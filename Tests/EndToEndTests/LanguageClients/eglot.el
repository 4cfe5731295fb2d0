;;; eglot.el --- Drives Eglot by a list of steps  -*- lexical-binding: t -*-

;; The steps are in a file of JSON (INKLING_STEPS); what was observed is printed as one line of JSON.  The server is set
;; up by the file that people are given (INKLING_EDITOR_CONFIG).  Every wait has a deadline.

;;; Code:

(require 'cl-lib)
(require 'json)
(load (getenv "INKLING_EDITOR_CONFIG") nil t)

(defvar driver-edits 0 "Edits that were applied.")
(defvar driver-answers nil "For each edit, whether it was applied; the latest first.")
(defvar driver-messages nil "What the server had to tell; the latest first.")
(defvar driver-times (make-hash-table :test 'equal) "The longest wait for the answer to each method.")
(defvar driver-menus nil "The menus that were shown; the latest first.")
(defvar driver-process nil "The server's process.")
(defvar driver-types nil "Whether the person goes on typing, so that no change is told.")
(defvar driver-patience 60)

(defun driver-tell ()
  "Tell the server of all changes, as a timer does when nothing has been typed for a while.
Without a screen Emacs is never idle, and has no such timers."
  (unless driver-types
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer (when (eglot-managed-p) (eglot--signal-textDocument/didChange))))))

(defun driver-read-on ()
  "Have the client look at what it has read already.
The one of Emacs 28 forgets what came together with an answer that it waited for, until there is more."
  (dolist (process (process-list))
    (when (process-get process 'jsonrpc-connection) (jsonrpc--process-filter process ""))))

(defun driver-await (what condition)
  "Wait for CONDITION, or fail naming WHAT."
  (let ((end (+ (float-time) driver-patience)))
    (while (not (funcall condition))
      (when (> (float-time) end) (error "Waited in vain %s" what))
      (driver-tell)
      (driver-read-on)
      (accept-process-output nil 0.02))))

(defun driver-note-time (method start)
  "Note how long METHOD took since START."
  (puthash method (max (gethash method driver-times 0) (- (float-time) start)) driver-times))

(advice-add
 'jsonrpc-request :around
 (lambda (request server method &rest arguments)
   (let ((start (float-time)))
     (prog1 (apply request server method arguments)
       (driver-note-time (substring (symbol-name method) 1) start)))))

(advice-add
 'eglot--apply-workspace-edit :around
 (lambda (apply-edit &rest arguments)
   (condition-case problem
       (progn (apply apply-edit arguments)
              (cl-incf driver-edits)
              (push t driver-answers))
     (error (push :json-false driver-answers)
            (signal (car problem) (cdr problem))))))

(advice-add
 'eglot--message :before
 (lambda (template &rest arguments)
   (when (string-prefix-p "Server reports" template) (push (cadr arguments) driver-messages))))

(defun driver-find (needle)
  "Where NEEDLE stands, as its start and its end."
  (save-excursion
    (goto-char (point-min))
    (let ((case-fold-search nil))
      (unless (search-forward needle nil t) (error "No text “%s”" needle)))
    (cons (- (point) (length needle)) (point))))

(defun driver-open (step)
  "Open the file of STEP."
  (find-file (alist-get 'file step))
  (unless (eglot-current-server)
    (let ((start (float-time)))
      (apply #'eglot (eglot--guess-contact))
      (driver-await "for the server" #'eglot-managed-p)
      (driver-note-time "initialize" start)
      (setq driver-process (process-id (jsonrpc--process (eglot-current-server))))))
  (driver-await "for the attachment" #'eglot-managed-p))

(defun driver-run (step)
  "Select the text of STEP, ask what can be done with it, and take what has its title."
  (undo-boundary)
  (let* ((place (driver-find (alist-get 'select step)))
         (title (alist-get 'title step))
         (last-nonmenu-event ?a)
         (transient-mark-mode t)
         (menu nil))
    (goto-char (car place))
    (push-mark (cdr place) t t)
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt items &rest _)
                 (setq menu (cl-loop for (name . action) in items
                                     collect `((title . ,name) (kind . ,(plist-get action :kind)))))
                 (push (vconcat menu) driver-menus)
                 (if (assoc title items) title (signal 'quit nil)))))
      (condition-case nil (call-interactively #'eglot-code-actions) (quit nil)))
    (deactivate-mark)
    (unless menu (error "No menu"))))

(defun driver-type (step)
  "Type the text of STEP."
  (undo-boundary)
  (save-excursion
    (let ((before (alist-get 'before step)))
      (goto-char (if before (car (driver-find before)) (cdr (driver-find (alist-get 'after step)))))
      (insert (alist-get 'text step))))
  (undo-boundary)
  (setq driver-types (alist-get 'on step))
  (driver-tell))

(defun driver-pause (_step)
  "Type no more."
  (setq driver-types nil))

(defun driver-wait (step)
  "Wait for what STEP names."
  (let-alist step
    (when .edits (driver-await "for an edit" (lambda () (>= driver-edits .edits))))
    (when .answers (driver-await "for an edit's answer" (lambda () (>= (length driver-answers) .answers))))
    (when .messages (driver-await "for a message" (lambda () (>= (length driver-messages) .messages)))))
  (driver-tell))

(defun driver-save (step)
  "Write the buffer to the file of STEP."
  (let ((coding-system-for-write buffer-file-coding-system) (require-final-newline nil))
    (write-region nil nil (alist-get 'file step) nil 'quietly)))

(defun driver-undo (_step)
  "Undo one step."
  (undo-boundary)
  (let ((last-command nil) (inhibit-message t)) (undo))
  (driver-tell))

(defun driver-close (_step)
  "Close the buffer."
  (set-buffer-modified-p nil)
  (kill-buffer))

(let ((problem nil) (make-backup-files nil) (auto-save-default nil) (create-lockfiles nil))
  (condition-case failure
      (let ((steps (with-temp-buffer
                     (insert-file-contents (getenv "INKLING_STEPS"))
                     (json-parse-buffer :object-type 'alist :array-type 'list))))
        (dolist (step steps) (funcall (intern (concat "driver-" (alist-get 'do step))) step))
        (when (eglot-current-server) (eglot-shutdown (eglot-current-server))))
    (error (setq problem (error-message-string failure))))
  (princ (concat "\nOBSERVED "
                 (json-encode `((edits . ,driver-edits) (answers . ,(vconcat (reverse driver-answers)))
                                (messages . ,(vconcat (reverse driver-messages))) (times . ,driver-times)
                                (menus . ,(vconcat (reverse driver-menus))) (process . ,driver-process)
                                (progress . []) (problem . ,problem)))
                 "\n")))

;;; eglot.el ends here
