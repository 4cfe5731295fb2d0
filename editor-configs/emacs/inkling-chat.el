;;; inkling-chat.el --- Chats with the assistant -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A chat is a buffer.  What has been said is read-only; behind it is a prompt, where a message can be typed also while
;; an answer is being written.  The session lives in the daemon, for as long as the buffer.

;;; Code:

(require 'inkling)

(defvar-local inkling--chat nil
  "The chat of this buffer, a plist.
:session is its id, :process the one that knows it, :turns a list of
\\(START MESSAGE ANSWER), the last first, :id the request at work, :stopped the
one that was cancelled, :shown what has come of it, and :answer its place.")
(defvar-local inkling--chat-prompt nil "The marker of the prompt, which stays behind what was said.")

(defvar inkling-chat-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'inkling-chat-send)
    (define-key map (kbd "C-j") #'newline)
    (define-key map (kbd "C-c C-c") #'inkling-chat-send)
    (define-key map (kbd "C-c C-k") #'inkling-chat-stop)
    (define-key map (kbd "C-c C-r") #'inkling-chat-retry)
    (define-key map (kbd "C-c C-u") #'inkling-chat-undo)
    map)
  "The keys of a chat.")

(define-derived-mode inkling-chat-mode text-mode "Inkling chat"
  "A conversation.  Type behind the last prompt and press \\[inkling-chat-send].
\\{inkling-chat-mode-map}"
  (setq-local mode-line-process '(:eval (inkling--chat-state)))
  (setq inkling--chat (list :session nil))
  (visual-line-mode)
  (let ((inhibit-read-only t))
    (insert (propertize "> " 'read-only t 'front-sticky t 'rear-nonsticky t 'face 'inkling-note 'field 'prompt)))
  (setq inkling--chat-prompt (copy-marker (point-min) t))
  (add-hook 'kill-buffer-hook #'inkling--chat-end nil t))

(defun inkling--chat-state ()
  "Return what the chat does, for its mode line."
  (when (plist-get inkling--chat :id) (format ": %s" (or (plist-get inkling--chat :progress) "waiting"))))

(defun inkling--chat-set (key value)
  "Set KEY of the chat to VALUE."
  (setq inkling--chat (plist-put inkling--chat key value)))

(defun inkling--chat-say (text &optional face)
  "Insert TEXT in FACE before the prompt.  Point, and what is being typed, stay."
  (let ((inhibit-read-only t))
    (save-excursion
      (goto-char inkling--chat-prompt)
      (insert (propertize text 'read-only t 'front-sticky t 'face face))))
  ;; Only what the user types can be undone.
  (setq buffer-undo-list nil))

(defun inkling--chat-cut (position)
  "Delete what was said behind POSITION."
  (let ((inhibit-read-only t)) (delete-region position inkling--chat-prompt))
  (setq buffer-undo-list nil))

(defun inkling--chat-input () "Return the start of the input." (+ inkling--chat-prompt 2))

;;;###autoload
(defun inkling-chat ()
  "Talk with the model, in a buffer; quote the region if there is one."
  (interactive)
  (let ((region (and (use-region-p) (inkling--text (region-beginning) (region-end))))
        (buffer (get-buffer "*inkling chat*")))
    (pop-to-buffer (or buffer (get-buffer-create "*inkling chat*")))
    (unless buffer (inkling-chat-mode))
    (goto-char (point-max))
    (when region (save-excursion (insert "\n\n" region)))))

(defun inkling--chat-session ()
  "Return the id of the chat's session.
Unless the daemon has it, make one that begins with what has been said."
  (inkling--connect)
  (unless (and (plist-get inkling--chat :session) (eq (plist-get inkling--chat :process) inkling--process))
    (let ((id (format "emacs-%d-%d" (emacs-pid) (cl-incf inkling--last-id))))
      (inkling--chat-set :session id)
      (inkling--chat-set :process inkling--process)
      (inkling--request "session/create"
                        (inkling--plist
                         :sessionId id :personality inkling-voice :contextPolicy "slidingWindow"
                         :transcript (vconcat (mapcan (lambda (turn)
                                                        (list (list :role "prompt" :text (nth 1 turn))
                                                              (list :role "response" :text (nth 2 turn))))
                                                      (reverse (plist-get inkling--chat :turns)))))
                        #'ignore)))
  (plist-get inkling--chat :session))

(defun inkling-chat-send ()
  "Send the message."
  (interactive)
  (let ((message (string-trim (buffer-substring-no-properties (inkling--chat-input) (point-max)))))
    (when (plist-get inkling--chat :id) (user-error "The answer is being written; C-c C-k stops it"))
    (when (string-empty-p message) (user-error "Type a message first"))
    (when (inkling--odd-p message) (user-error "The message holds bytes that are no characters"))
    (inkling--connect)
    (delete-region (inkling--chat-input) (point-max))
    (let ((start (copy-marker inkling--chat-prompt nil)))
      (inkling--chat-say (concat message "\n\n") 'bold)
      (inkling--chat-ask (list :message message) start message nil))))

(defun inkling--chat-ask (what start message old &optional again)
  "Ask WHAT in the session for the turn from START with MESSAGE and the OLD answer.
With AGAIN the session was lost before, and this is the second try."
  (let ((buffer (current-buffer)))
    ;; Until the daemon has said that a cancelled answer has ended, the session is busy.
    (with-timeout (2)
      (while (gethash (plist-get inkling--chat :stopped) inkling--handlers)
        (accept-process-output inkling--process 0.02)))
    (inkling--chat-set :shown "")
    (inkling--chat-set :progress nil)
    (inkling--chat-set :answer (copy-marker inkling--chat-prompt nil))
    (inkling--chat-set
     :id (inkling--request
          "assistant/chat" (append what (list :sessionId (inkling--chat-session)))
          (lambda (result failure)
            (when (buffer-live-p buffer)
              (with-current-buffer buffer
                (inkling--chat-set :id nil)
                (inkling--chat-cut (plist-get inkling--chat :answer))
                (cond ((not failure) (inkling--chat-keep start message (plist-get result :text) result))
                      ((and (not again) (eql (plist-get failure :code) 1003))
                       (inkling--chat-set :session nil)
                       (inkling--chat-ask (list :message message) start message old t))
                      (t (inkling--chat-fail start message old)
                         (message "Inkling: %s" (inkling--explain failure)))))))
          (lambda (value) (when (buffer-live-p buffer) (with-current-buffer buffer (inkling--chat-advance value))))))))

(defun inkling--chat-advance (value)
  "Take VALUE, a partial result or a report of progress, of the answer."
  (pcase (plist-get value :kind)
    ("text" (let ((offset (plist-get value :offset)))
              (when (< offset (length (plist-get inkling--chat :shown)))
                (inkling--chat-cut (+ (plist-get inkling--chat :answer) offset)))
              (inkling--chat-say (plist-get value :delta))
              (inkling--chat-set :shown (inkling--cut (plist-get inkling--chat :shown) value))
              (inkling--chat-set :progress "writing")))
    ((or "begin" "report") (inkling--chat-set :progress (plist-get value :message))))
  (force-mode-line-update))

(defun inkling--chat-keep (start message answer result)
  "Keep the turn from START: MESSAGE and ANSWER; show the warnings of RESULT."
  (inkling--chat-say (concat answer "\n\n"))
  (inkling--chat-set :turns (cons (list start message answer) (plist-get inkling--chat :turns)))
  (when-let ((warnings (inkling--warnings result))) (message "Inkling: %s" warnings))
  (force-mode-line-update))

(defun inkling--chat-fail (start message old)
  "Undo the turn from START: show its OLD answer, or put MESSAGE into the input."
  (if old (inkling--chat-keep start message old nil)
    (inkling--chat-cut start)
    (when (= (inkling--chat-input) (point-max))
      (save-excursion (goto-char (point-max)) (insert message)))))

(defun inkling-chat-stop ()
  "Cancel the answer that is being written."
  (interactive)
  (let ((id (or (plist-get inkling--chat :id) (user-error "No answer is being written"))))
    (when-let ((handler (gethash id inkling--handlers)))
      (inkling--cancel id)
      (when inkling--assistant
        (puthash id (list #'ignore) inkling--handlers)
        (inkling--chat-set :stopped id))
      (funcall (car handler) nil (list :message "cancelled")))))

(defun inkling--chat-last-turn ()
  "Take the last turn off the chat, and return it."
  (when (plist-get inkling--chat :id) (user-error "The answer is being written; C-c C-k stops it"))
  (let ((turns (or (plist-get inkling--chat :turns) (user-error "Nothing has been said yet"))))
    (inkling--chat-set :turns (cdr turns))
    (car turns)))

(defun inkling-chat-retry ()
  "Have the last message answered again."
  (interactive)
  (pcase-let* ((known (eq (plist-get inkling--chat :process) inkling--process))
               (`(,start ,message ,answer) (inkling--chat-last-turn)))
    (inkling--chat-cut (+ start (length message) 2))
    (inkling--chat-ask (if known (list :retry t) (list :message message)) start message answer)))

(defun inkling-chat-undo ()
  "Take back the last turn; its message is put into the input."
  (interactive)
  (pcase-let ((`(,start ,message ,_) (inkling--chat-last-turn)))
    (when (eq (plist-get inkling--chat :process) inkling--process)
      (inkling--request "session/rewind" (list :sessionId (plist-get inkling--chat :session) :turns 1) #'ignore))
    (inkling--chat-fail start message nil)))

(defun inkling--chat-end ()
  "End the session of a chat whose buffer is killed; this cancels its request."
  (when-let ((id (plist-get inkling--chat :id))) (inkling--cancel id))
  (when (and inkling--process (eq (plist-get inkling--chat :process) inkling--process))
    (inkling--request "session/delete" (list :sessionId (plist-get inkling--chat :session)) #'ignore)))

(provide 'inkling-chat)
;;; inkling-chat.el ends here
