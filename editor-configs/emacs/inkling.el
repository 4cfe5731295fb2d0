;;; inkling.el --- A private writing assistant on your machine -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: convenience, text

;;; Commentary:

;; Select a text, press two keys, watch the answer appear below it, and keep it or throw it away:
;;
;;     (require 'inkling)
;;     (global-set-key (kbd "C-c i") 'inkling-map)
;;     (inkling-mode)
;;
;; C-c i r rephrases the region, or the paragraph at point.  The buffer stays as it is until you accept with C-c C-c.
;; C-c i C-h lists the other commands, M-x customize-group RET inkling the options, and README.md the rest.
;;
;; JSON-RPC is written out here instead of taken from jsonrpc.el: that one tells nobody the id of a request, which a
;; cancellation needs, it differs between Emacs 27 and 30, and it keeps the texts in a log buffer.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'json)
(require 'diff-mode)

;;;; Options

(defgroup inkling nil "A private writing assistant." :group 'text :prefix "inkling-")

(defcustom inkling-program '("inkling" "connect")
  "The program that is started, and its arguments." :type '(repeat string))
(defcustom inkling-tone "formal"
  "The tone that `inkling-rephrase' offers first." :type 'string)
(defcustom inkling-voice nil
  "The voice to write in; nil for the one of Inkling's configuration."
  :type '(choice (const :tag "As configured" nil) string))
(defcustom inkling-instructions nil
  "What else to heed in every request, in your words." :type '(choice (const nil) string))

(defcustom inkling-placement '((rephrase . replace) (summarize . below) (brainstorm . below) (show . echo))
  "Where the answers go.
`show' stands for commands of the configuration that only show something.
What goes to `replace', `above' or `below' is shown as a draft first; `kill' is
the kill ring, and for `register' you are asked which one."
  :type '(alist :key-type symbol :value-type (choice (const replace) (const above) (const below) (const buffer)
                                                     (const echo) (const kill) (const register))))

(defcustom inkling-preview t
  "Whether a draft waits for you to accept it; nil to accept it at once." :type 'boolean)
(defcustom inkling-preview-lines 15
  "The most lines of a draft that are shown in the buffer." :type 'integer)
(defcustom inkling-alternatives 1
  "How many texts a rephrase is asked for." :type 'integer)
(defcustom inkling-context 0
  "How many characters before and after the text the model is shown.
They have to be read first: with 500 the first word comes several times as late." :type 'integer)
(defcustom inkling-keep-chats nil
  "Whether new chats outlive their buffers: on the disk, for all your editors." :type 'boolean)
(defcustom inkling-prewarm t
  "Whether `inkling-mode' has a region read before you ask for something."
  :type '(choice (const :tag "Unless on battery" t) (const :tag "Always" always) (const :tag "Never" nil)))
(defcustom inkling-prewarm-delay 0.3
  "Seconds that a region rests before it is read." :type 'number)
(defcustom inkling-prewarm-limit 8000
  "Characters of the longest region that is read beforehand." :type 'integer)

(defcustom inkling-secret-files
  '("\\`\\.env" "\\.\\(?:pem\\|key\\|gpg\\|asc\\|kdbx\\|p12\\)\\'" "\\`id_" "\\`credentials"
    "\\`\\.?\\(?:authinfo\\|netrc\\)" "secret" "password")
  "Files, as regular expressions on their names, of which nothing is sent unasked.
Their regions are not read beforehand, and what stands around a text stays out."
  :type '(repeat regexp))

(defface inkling-source '((t :inherit shadow :strike-through t)) "The text that a draft would replace.")
(defface inkling-draft '((t :inherit diff-added :extend t)) "A draft.")
(defface inkling-note '((t :inherit shadow :slant italic)) "What stands below a draft.")

;;;; Messages

(defvar inkling--process nil "The process that was started, or nil.")
(defvar inkling--errors nil "The buffer with what the process wrote to standard error.")
(defvar inkling--assistant nil "What the daemon offers, as a plist; nil before its answer to initialize.")
(defvar inkling--availability nil "The last `model/didChangeAvailability'.")
(defvar inkling--queue nil "Messages that wait for the answer to initialize, the last first.")
(defvar inkling--last-id 0 "The id of the last request.")
(defvar inkling--handlers (make-hash-table)
  "The requests at work: id → (REPLY . PROGRESS).
REPLY is called with result and error, PROGRESS with each value of $/progress.")
(defconst inkling--nothing (make-hash-table) "The empty object.")

(defun inkling--plist (&rest pairs)
  "Return the plist PAIRS without its members that are nil."
  (cl-loop for (key value) on pairs by #'cddr when value nconc (list key value)))

(defun inkling--encode (message)
  "Return the JSON text of MESSAGE in UTF-8.  Emacs before 30 may lack native JSON."
  (encode-coding-string
   (if (ignore-errors (json-serialize [])) (json-serialize message :null-object nil :false-object :json-false)
     (json-encode message))
   'utf-8))

(defun inkling--decode ()
  "Return the value of the JSON in this unibyte buffer, with plists and lists."
  (condition-case nil (json-parse-buffer :object-type 'plist :array-type 'list :null-object nil :false-object nil)
    ;; No native JSON, or one that refuses \\u0000.
    (error (let ((json-object-type 'plist) (json-array-type 'list) (json-null nil) (json-false nil))
             (json-read-from-string (decode-coding-string (buffer-string) 'utf-8))))))

(defun inkling--write (message)
  "Send MESSAGE, a plist, now."
  (let ((body (inkling--encode (cons :jsonrpc (cons "2.0" message)))))
    ;; When the process has ended, `inkling--ended' says so.
    (ignore-errors
      (process-send-string inkling--process (concat (format "Content-Length: %d\r\n\r\n" (length body)) body)))))

(defun inkling--send (message)
  "Send MESSAGE as soon as the handshake is made."
  (inkling--connect)
  (if inkling--assistant (inkling--write message) (push message inkling--queue)))

(defun inkling--notify (method params)
  "Send the notification METHOD with PARAMS."
  (inkling--send (list :method method :params (or params inkling--nothing))))

(defun inkling--request (method params reply &optional progress)
  "Send the request METHOD with PARAMS, and return its id.
REPLY and PROGRESS are as in `inkling--handlers'."
  (let ((id (cl-incf inkling--last-id)))
    (when progress (setq params (append params (list :partialResultToken id :workDoneToken id))))
    (inkling--connect)
    (puthash id (cons reply progress) inkling--handlers)
    (inkling--send (list :id id :method method :params (or params inkling--nothing)))
    id))

(defun inkling--cancel (id)
  "Cancel the request ID; nothing of it is heard any more."
  (when (gethash id inkling--handlers)
    (remhash id inkling--handlers)
    (if (seq-some (lambda (message) (eql (plist-get message :id) id)) inkling--queue)
        (setq inkling--queue (seq-remove (lambda (message) (eql (plist-get message :id) id)) inkling--queue))
      (inkling--notify "$/cancelRequest" (list :id id)))))

(defun inkling--check-program ()
  "Signal an error unless there is the program."
  (unless (executable-find (car inkling-program))
    (user-error "There is no program “%s”; install Inkling, or set `inkling-program'" (car inkling-program))))

(defun inkling--connect ()
  "Start the process unless it is there."
  (unless (process-live-p inkling--process)
    (when inkling--process (inkling--ended inkling--process nil))
    (inkling--check-program)
    ;; The program runs here even when the buffer's files are elsewhere.
    (let ((default-directory (file-name-as-directory (expand-file-name "~")))
          (errors (make-pipe-process :name "inkling errors" :noquery t :sentinel #'ignore
                                     :buffer (get-buffer-create " *inkling errors*"))))
      (setq inkling--errors (process-buffer errors) inkling--assistant nil inkling--availability nil inkling--queue nil)
      (with-current-buffer inkling--errors (erase-buffer))
      (setq inkling--process
            (make-process :name "inkling" :command inkling-program :connection-type 'pipe :coding 'binary :noquery t
                          :buffer (generate-new-buffer " *inkling*") :stderr errors
                          :filter #'inkling--receive :sentinel #'inkling--ended)))
    (with-current-buffer (process-buffer inkling--process) (set-buffer-multibyte nil))
    (let ((id (cl-incf inkling--last-id)))
      (puthash id (list #'inkling--initialized) inkling--handlers)
      (inkling--write (list :id id :method "initialize" :params (inkling--hello))))))

(defun inkling--hello ()
  "Return the parameters of initialize.  Characters are the units of utf-32."
  (list :processId (emacs-pid) :clientInfo (list :name "Emacs" :version emacs-version)
        :capabilities (list :general (list :positionEncodings ["utf-32"])
                            :experimental (list :assistant inkling--nothing))))

(defun inkling--initialized (result failure)
  "Take the RESULT of initialize, or its FAILURE, and send what has waited."
  (let* ((capabilities (plist-get result :capabilities)) (queue (nreverse inkling--queue))
         (encoding (plist-get capabilities :positionEncoding)))
    (setq inkling--queue nil)
    (if (or failure (not (equal encoding "utf-32")))
        (when (process-live-p inkling--process)
          (delete-process inkling--process)
          (message "Inkling: %s" (or (plist-get failure :message)
                                     (format "This daemon counts in %s, not in utf-32" encoding))))
      (setq inkling--assistant (plist-get (plist-get capabilities :experimental) :assistant))
      (inkling--write (list :method "initialized" :params inkling--nothing))
      (mapc #'inkling--write queue))))

(defun inkling--receive (process chunk)
  "Take CHUNK, a part of one or several messages, from PROCESS."
  (with-current-buffer (process-buffer process) (goto-char (point-max)) (insert chunk))
  (while (condition-case-unless-debug problem
             (when-let ((message (inkling--next-message process))) (inkling--dispatch message) t)
           (error (message "Inkling: %s" (error-message-string problem)) t))))

(defun inkling--next-message (process)
  "Return the next whole message of PROCESS, or nil."
  (when (buffer-live-p (process-buffer process))
    (with-current-buffer (process-buffer process)
      (goto-char (point-min))
      (let ((case-fold-search t))
        (when-let* ((body (search-forward "\r\n\r\n" nil t))
                    (end (and (goto-char (point-min))
                              (re-search-forward "^content-length: *\\([0-9]+\\)" body t)
                              (+ body (string-to-number (match-string 1))))))
          (when (<= end (point-max))
            (unwind-protect
                (save-restriction (narrow-to-region body end) (goto-char body) (inkling--decode))
              (delete-region (point-min) end))))))))

(defun inkling--dispatch (message)
  "Act on MESSAGE of the daemon."
  (let* ((id (plist-get message :id)) (method (plist-get message :method)) (params (plist-get message :params))
         (handler (gethash (if method (plist-get params :token) id) inkling--handlers)))
    (cond
     ((equal method "$/progress") (when (cdr handler) (funcall (cdr handler) (plist-get params :value))))
     ((equal method "assistant/didChangeConfiguration")
      (dolist (key '(:features :tones :personalities))
        (plist-put inkling--assistant key (plist-get params key))))
     ((equal method "model/didChangeAvailability")
      (setq inkling--availability (plist-get params :availability)) (force-mode-line-update t))
     ((and method id) (inkling--write (list :id id :error (list :code -32601 :message "Emacs has no tools"))))
     (handler
      (remhash id inkling--handlers)
      (funcall (car handler) (plist-get message :result) (plist-get message :error))))))

(defun inkling--ended (process _event)
  "Fail what waits for PROCESS, which has ended."
  (unless (process-live-p process)
    (when (buffer-live-p (process-buffer process)) (kill-buffer (process-buffer process)))
    (when (eq process inkling--process)
      (let* ((handlers (hash-table-values inkling--handlers)) (said (inkling--complaint))
             (problem (list :message (format "The program “%s” ended.  Try again%s" (car inkling-program)
                                             (if (string-empty-p said) "" (concat ": " said))))))
        (setq inkling--process nil inkling--assistant nil inkling--queue nil inkling--availability nil)
        (clrhash inkling--handlers)
        (dolist (handler handlers)
          (with-demoted-errors "Inkling: %S" (funcall (car handler) nil problem)))))))

(defun inkling--complaint ()
  "Return what the process wrote to standard error."
  (when-let ((pipe (get-buffer-process inkling--errors))) (accept-process-output pipe 0.1))
  (with-current-buffer inkling--errors (string-trim (buffer-string))))

(defun inkling--offer (key)
  "Return what is offered under KEY, after a moment's wait for the handshake."
  (inkling--connect)
  (with-timeout (10 (user-error "“%s” does not answer; see M-x inkling-doctor" (car inkling-program)))
    (while (and (process-live-p inkling--process) (not inkling--assistant))
      (accept-process-output inkling--process 0.05)))
  (unless inkling--assistant (user-error "“%s” ended: %s" (car inkling-program) (inkling--complaint)))
  (plist-get inkling--assistant key))

(defun inkling--call (method params)
  "Send the request METHOD with PARAMS, wait for its answer, and return the result."
  (inkling--offer :methods)
  (let* ((answer nil) (id (inkling--request method params (lambda (&rest answered) (setq answer answered)))))
    (unwind-protect (while (not answer) (accept-process-output inkling--process 0.05))
      (unless answer (inkling--cancel id)))
    (if (cadr answer) (user-error "Inkling: %s" (inkling--explain (cadr answer))) (car answer))))

(defun inkling--run (&rest arguments)
  "Run the program with ARGUMENTS, and return its status and what it prints."
  (unless (equal (car (last inkling-program)) "connect")
    (user-error "`inkling-program' does not end in “connect”, so nothing else can be asked of it"))
  (inkling--check-program)
  (let ((default-directory (file-name-as-directory (expand-file-name "~"))) (coding-system-for-read 'utf-8))
    (with-temp-buffer
      (let ((status (apply #'call-process (car inkling-program) nil t nil
                           (append (butlast (cdr inkling-program)) arguments))))
        (cons status (string-trim (buffer-string)))))))

(defun inkling--run-well (&rest arguments)
  "Return what the program prints with ARGUMENTS, or say what it complains about."
  (pcase-let ((`(,status . ,printed) (apply #'inkling--run arguments)))
    (if (eql status 0) printed (user-error "%s" printed))))

(defun inkling--explain (failure)
  "Return the error FAILURE in plain words, with its remedy."
  (let ((text (plist-get failure :message)) (remedy (plist-get (plist-get failure :data) :remedy)))
    (if (and remedy (not (string-match-p (regexp-quote remedy) text))) (concat text " " remedy) text)))

;;;; What is sent

(defvar inkling--languages
  '(("emacs-lisp" . "lisp") ("lisp-interaction" . "lisp") ("gfm" . "markdown") ("plain-tex" . "tex") ("c++" . "cpp")
    ("text" . "plaintext") ("message" . "plaintext") ("js" . "javascript") ("sh" . "shellscript") ("mhtml" . "html"))
  "Names of major modes that the protocol calls otherwise.")

(defun inkling--language ()
  "Return the language of the buffer, as the protocol names it, or nil."
  (let ((name (replace-regexp-in-string "\\(?:-ts\\)?-mode\\'" "" (downcase (symbol-name major-mode)))))
    (unless (equal name "fundamental") (or (cdr (assoc name inkling--languages)) name))))

(defun inkling--secret-p ()
  "Whether nothing of the buffer is to be sent unasked."
  (when-let ((file (buffer-file-name (or (buffer-base-buffer) (current-buffer)))))
    (let ((name (file-name-nondirectory file)) (case-fold-search t))
      (seq-some (lambda (pattern) (string-match-p pattern name)) inkling-secret-files))))

(defun inkling--odd-p (text)
  "Return the position in TEXT of a character that is none of Unicode's, or nil."
  (string-match-p "[^\0-\ud7ff\ue000-\U0010ffff]" (string-to-multibyte text)))

(defun inkling--text (start end)
  "Return the text from START to END, if it can be sent."
  (let* ((text (buffer-substring-no-properties start end)) (odd (inkling--odd-p text)))
    (when odd
      (user-error "The byte at %d is no character; decode the file otherwise (C-x RET r)" (+ start odd)))
    (when (string-blank-p text) (user-error "There is no text here"))
    text))

(defun inkling--around (start end)
  "Return the context of the text from START to END."
  (let ((show (lambda (from to) (let ((text (buffer-substring-no-properties from to)))
                                  (unless (or (string-empty-p text) (inkling--odd-p text)) text))))
        (amount (if (inkling--secret-p) 0 inkling-context)))
    (inkling--plist :languageId (inkling--language)
                    :before (funcall show (max (point-min) (- start amount)) start)
                    :after (funcall show end (min (point-max) (+ end amount))))))

(defun inkling--common (start end)
  "Return the parameters that all requests about the text from START to END have."
  (inkling--plist :personality inkling-voice :instructions inkling-instructions :context (inkling--around start end)))

(defun inkling--bounds ()
  "Return the ends of the region, or of the lines up to the next blank ones."
  (cond
   ((and (use-region-p) (region-noncontiguous-p)) (user-error "Rectangles are not taken; select lines or characters"))
   ((use-region-p) (cons (region-beginning) (region-end)))
   (t (let ((place (point)))
        (save-excursion
          (forward-line 0)
          (when (looking-at-p "[ \t]*$") (user-error "There is no text at point; select some"))
          (while (and (not (bobp)) (save-excursion (forward-line -1) (not (looking-at-p "[ \t]*$"))))
            (forward-line -1))
          (let ((start (point)))
            (while (and (not (eobp)) (not (looking-at-p "[ \t]*$"))) (forward-line 1))
            (unless (or (bobp) (and (eobp) (not (bolp)))) (backward-char))
            ;; A prompt, of the minibuffer or a shell, is no part of it.
            (cons (field-beginning place nil start) (field-end place nil (point)))))))))

;;;; Jobs

(cl-defstruct (inkling--job (:constructor inkling--make-job) (:copier nil))
  "A request about a part of a buffer, and what has come of it.
ID is nil when nothing is at work.  OVERLAY follows the SOURCE, KEYS has the
keymap, and VIEW shows the draft behind the SOURCE, or at the marker ANCHOR.
SHOWN is what has come so far, PROGRESS what the daemon does.
DRAFTS are plists with :text, :edits and :warnings, and INDEX is the one that is seen."
  id method params title placement overlay keys view anchor source (shown "") progress drafts (index 0))

(defvar inkling--jobs nil "All jobs, the latest first.")
(defvar inkling--rate nil "Tokens a second of the last answer.")
(defvar inkling--prewarmed nil "The region that the daemon was told of: buffer, ends, tick.")

(defvar inkling-preview-map
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,key . ,command)
                   '(("C-c C-c" . inkling-accept) ("C-c C-k" . inkling-reject) ("C-c C-r" . inkling-retry)
                     ("C-c C-n" . inkling-next) ("C-c C-d" . inkling-diff) ("C-c C-e" . inkling-edit-instructions)
                     ("C-g" . inkling-quit)))
      (define-key map (kbd key) command))
    map)
  "The keys at a draft.")

(defvar-local inkling--diff-job nil "The job of which this buffer is the diff.")

(defun inkling--buffer (job)
  "Return the buffer of JOB, or nil."
  (overlay-buffer (inkling--job-overlay job)))
(defun inkling--start (job)
  "Return the start of the text of JOB."
  (overlay-start (inkling--job-overlay job)))
(defun inkling--end (job)
  "Return the end of the text of JOB."
  (overlay-end (inkling--job-overlay job)))
(defun inkling--draft (job)
  "Return the draft of JOB that is seen."
  (nth (inkling--job-index job) (inkling--job-drafts job)))
(defun inkling--insert-p (job)
  "Whether the answer of JOB is for its buffer."
  (memq (inkling--job-placement job) '(replace above below)))

(defun inkling--jobs-here ()
  "Return the jobs of the current buffer."
  (seq-filter (lambda (job) (eq (inkling--buffer job) (current-buffer))) inkling--jobs))

(defun inkling--job-here ()
  "Return the job at point, the only one of the buffer, or that of the diff."
  (let ((jobs (inkling--jobs-here)))
    (or (car (memq inkling--diff-job inkling--jobs))
        (seq-find (lambda (job) (<= (inkling--start job) (point) (1- (inkling--end job)))) jobs)
        (seq-find (lambda (job) (<= (inkling--start job) (point) (inkling--end job))) jobs)
        (and (null (cdr jobs)) (car jobs))
        (user-error (if jobs "Put point on one of the drafts" "There is no draft in this buffer")))))

(defun inkling--begin (method params title placement bounds source)
  "Ask METHOD with PARAMS, called TITLE, about SOURCE at BOUNDS, for PLACEMENT."
  (when (and (memq placement '(above below)) buffer-read-only) (setq placement 'buffer))
  (when (memq placement '(replace above below))
    (barf-if-buffer-read-only)
    (unless enable-multibyte-characters (user-error "This buffer holds bytes and no text"))
    (when (and (eq placement 'replace) (text-property-not-all (car bounds) (cdr bounds) 'read-only nil))
      (user-error "Part of the text is read-only")))
  (dolist (job (inkling--jobs-here))
    (when (and (< (car bounds) (inkling--end job)) (< (inkling--start job) (cdr bounds)))
      (user-error "There is a draft for this text already; accept or reject it first")))
  (inkling--connect)
  (let* ((overlay (make-overlay (car bounds) (cdr bounds) nil t nil))
         (keys (make-overlay (car bounds) (cdr bounds) nil nil t))
         (view (make-overlay (cdr bounds) (cdr bounds)))
         (job (inkling--make-job :method method :params params :title title :placement placement
                                 :overlay overlay :keys keys :view view :source source)))
    (dolist (each (list overlay keys view)) (overlay-put each 'inkling t))
    (overlay-put keys 'keymap inkling-preview-map)
    (when (eq placement 'replace) (overlay-put overlay 'face 'inkling-source))
    (add-hook 'kill-buffer-hook #'inkling--forget-buffer)
    (add-hook 'clone-indirect-buffer-hook #'inkling--forget-clone)
    (push job inkling--jobs)
    (setq inkling--prewarmed nil)
    (deactivate-mark)
    (when (inkling--insert-p job) (inkling--make-room job))
    (inkling--ask job)))

(defun inkling--make-room (job)
  "Have the draft of JOB in sight; this is for the key that began it.
Where the text goes on below the window, the draft is shown at point's line."
  (when (eq (window-buffer) (current-buffer))
    (let* ((start (point)) (end (max start (inkling--end job))) (height (window-body-height))
           (room (min (+ 2 inkling-preview-lines) (/ height 2)))
           (rows (lambda (from to) (if (> (- to from) 20000) height (count-screen-lines from to))))
           (row (funcall rows (window-start) start)) (highest (- height room (funcall rows start end) 1)))
      (cond ((< highest 0)
             (setf (inkling--job-anchor job) (copy-marker (min end (line-end-position)))))
            ((> row highest) (recenter highest))))))

(defun inkling--ask (job &optional options)
  "Send the request of JOB, with OPTIONS of generation."
  (when (inkling--job-id job) (inkling--cancel (inkling--job-id job)))
  (setf (inkling--job-shown job) "" (inkling--job-progress job) "Waiting")
  (setf (inkling--job-id job)
        (inkling--request (inkling--job-method job)
                          (append (and options (list :options options)) (inkling--job-params job))
                          (lambda (result failure) (inkling--finish job result failure))
                          (lambda (value) (inkling--advance job value))))
  (inkling--show job)
  job)

(defun inkling--cut (shown value)
  "Return SHOWN with the text delta VALUE: cut to its offset, then appended."
  (let ((offset (plist-get value :offset)) (delta (plist-get value :delta)))
    (concat (if (< offset (length shown)) (substring shown 0 offset) shown) delta)))

(defun inkling--advance (job value)
  "Take VALUE, a partial result or a report of progress, for JOB."
  (pcase (plist-get value :kind)
    ("text" (setf (inkling--job-shown job) (inkling--cut (inkling--job-shown job) value)
                  (inkling--job-progress job) "Writing"))
    ("structured" (setf (inkling--job-shown job) (inkling--outline (plist-get value :value))
                        (inkling--job-progress job) "Writing"))
    ((or "begin" "report")
     (when-let ((words (or (plist-get value :message) (plist-get value :title))))
       (setf (inkling--job-progress job)
             (if-let ((percentage (plist-get value :percentage))) (format "%s %d %%" words percentage) words)))))
  (inkling--show job)
  (force-mode-line-update t))

(defun inkling--outline (value)
  "Return VALUE, a structured answer that may lack something, as a text."
  (cond ((and (consp value) (keywordp (car value)))
         (cl-loop for (key member) on value by #'cddr
                  concat (format "%s: %s\n" (substring (symbol-name key) 1) (inkling--outline member))))
        ((consp value) (mapconcat (lambda (item) (concat "\n- " (inkling--outline item))) value ""))
        (t (format "%s" (or value "")))))

(defun inkling--finish (job result failure)
  "Take the RESULT of JOB, or its FAILURE."
  (setf (inkling--job-id job) nil (inkling--job-progress job) nil (inkling--job-shown job) "")
  (setq inkling--rate (inkling--rate (plist-get result :usage)))
  (force-mode-line-update t)
  (let ((text (or (plist-get result :rendered) (plist-get result :text))))
    (cond
     ((not (inkling--buffer job)) (inkling--drop job))
     ((or failure (null text) (string-blank-p text))
      (message "Inkling: %s" (if failure (inkling--explain failure) "The answer is empty; the text stays as it is."))
      ;; Drafts of earlier requests are whole, and stay.
      (if (inkling--job-drafts job) (inkling--show job) (inkling--drop job)))
     (t (inkling--take job text result)))))

(defun inkling--rate (usage)
  "Return the tokens a second of an answer with USAGE, or nil."
  (when-let ((tokens (plist-get usage :completionTokens)) (whole (plist-get usage :durationMs)))
    (let ((milliseconds (- whole (or (plist-get usage :timeToFirstTokenMs) 0))))
      (and (> tokens 1) (> milliseconds 0) (/ (* 1000.0 (1- tokens)) milliseconds)))))

(defun inkling--take (job text result)
  "Add the drafts of RESULT, the first of which is TEXT, to JOB."
  (let ((edits (plist-get result :edits)) (warnings (inkling--warnings result)))
    (setf (inkling--job-index job) (length (inkling--job-drafts job)))
    (setf (inkling--job-drafts job)
          (append (inkling--job-drafts job) (list (list :text text :edits edits :warnings warnings))
                  (cl-loop for other in (cdr (plist-get result :alternatives))
                           collect (list :text other :warnings warnings))))
    (cond ((not (inkling--insert-p job)) (inkling--deliver job text warnings))
          (inkling-preview (inkling--show job))
          (t (condition-case problem (inkling--accept job)
               (error (inkling--show job) (message "Inkling: %s" (error-message-string problem))))))))

(defun inkling--warnings (result)
  "Return what the warnings of RESULT say was lost or changed, or nil."
  (let ((words (cl-loop for warning in (plist-get result :warnings)
                        unless (equal (plist-get warning :code) "retried") collect (plist-get warning :message))))
    (and words (string-join words " "))))

(defun inkling--deliver (job text warnings)
  "Show or keep the TEXT of JOB with its WARNINGS outside of its buffer."
  (inkling--drop job)
  (pcase (inkling--job-placement job)
    ('kill (kill-new text) (message "Inkling: the answer is in the kill ring.  %s" (or warnings "")))
    (`(register . ,name)
     (set-register name text)
     (message "Inkling: the answer is in register %s.  %s" (single-key-description name) (or warnings "")))
    ('echo (display-message-or-buffer (if warnings (format "%s\n(%s)" text warnings) text) "*inkling*"))
    (_ (with-current-buffer (generate-new-buffer (format "*inkling: %s*" (inkling--job-title job)))
         (insert text)
         (goto-char (point-min))
         (display-buffer (current-buffer))
         (when warnings (message "Inkling: %s" warnings))))))

(defun inkling--drop (job)
  "Forget JOB, and cancel its request."
  (when (inkling--job-id job)
    (inkling--cancel (inkling--job-id job))
    (setf (inkling--job-id job) nil))
  (dolist (overlay (list (inkling--job-overlay job) (inkling--job-keys job) (inkling--job-view job)))
    (delete-overlay overlay))
  (setq inkling--jobs (delq job inkling--jobs))
  (when-let ((diff (inkling--diff-buffer job)))
    (quit-windows-on diff t))
  (force-mode-line-update t))

(defun inkling--forget-buffer ()
  "Drop the jobs of the current buffer, which is being killed."
  (mapc #'inkling--drop (inkling--jobs-here)))

(defun inkling--forget-clone ()
  "Remove copies of overlays from an indirect buffer, which has no drafts itself."
  (remove-overlays nil nil 'inkling t))

;;;; The draft in the buffer

(defun inkling--excerpt (text tail)
  "Return as many lines of TEXT as are shown: the last ones if TAIL."
  (let* ((characters (* inkling-preview-lines 100))
         (part (cond ((<= (length text) characters) text)
                     (tail (substring text (- characters)))
                     (t (substring text 0 characters))))
         (lines (split-string part "\n"))
         (shown (if tail (last lines inkling-preview-lines) (seq-take lines inkling-preview-lines))))
    (concat (when (and tail (or (not (eq part text)) (cdr (nthcdr (1- inkling-preview-lines) lines)))) "…\n")
            (string-join shown "\n")
            (when (and (not tail) (or (not (eq part text)) (nthcdr inkling-preview-lines lines))) "\n…"))))

(defun inkling--footer (job)
  "Return the line below the draft of JOB: what can be done, or is being done."
  (let ((count (length (inkling--job-drafts job))) (warnings (plist-get (inkling--draft job) :warnings)))
    (if (inkling--job-id job)
        (format "%s: %s …  C-g cancels" (inkling--job-title job) (inkling--job-progress job))
      (concat (inkling--job-title job) (when (> count 1) (format " %d/%d" (1+ (inkling--job-index job)) count)) ": "
              (cl-loop for (command word) in '((inkling-accept "accepts, ") (inkling-reject "rejects, ")
                                               (inkling-retry "retries, ") (inkling-diff "diff"))
                       concat (format "%s %s" (key-description (where-is-internal command inkling-preview-map t)) word))
              (when warnings (propertize (concat "\n" warnings) 'face 'warning))))))

(defun inkling--show (job)
  "Show what there is of JOB behind its text, without a change of the buffer."
  (when (inkling--buffer job)
    (with-current-buffer (inkling--buffer job)
      (let* ((end (or (inkling--job-anchor job) (inkling--end job))) (running (inkling--job-id job))
             (text (if running (inkling--job-shown job) (plist-get (inkling--draft job) :text)))
             (body (if (inkling--insert-p job) (inkling--excerpt (string-trim text "\n+" "\n+") running) "")))
        (save-restriction
          (widen)
          ;; Behind a fold, if the text ends in one.
          (let ((seen end))
            (while (and (< seen (point-max)) (invisible-p seen) (> seen 1) (invisible-p (1- seen)))
              (setq seen (next-single-char-property-change seen 'invisible)))
            (move-overlay (inkling--job-view job) seen seen)
            (setq end seen))
          (overlay-put (inkling--job-view job) 'after-string
                       (concat
                        ;; The cursor stays before the draft when point is at the end of the text.
                        (unless (eq (char-before end) ?\n) (propertize "\n" 'cursor t))
                        (unless (string-empty-p body) (propertize (concat body "\n") 'face 'inkling-draft 'cursor t))
                        (propertize (inkling--footer job) 'face 'inkling-note)
                        (unless (and (eq (char-after end) ?\n) (not (eq (char-before end) ?\n))) "\n"))))
        (when (and (not running) (inkling--diff-buffer job)) (inkling--fill-diff job))))))

(defun inkling--present (job)
  "Return the text of JOB as it is now, also when it has been narrowed away."
  (with-current-buffer (inkling--buffer job)
    (save-restriction
      (widen)
      (buffer-substring-no-properties (inkling--start job) (inkling--end job)))))

(defun inkling--changed-p (job)
  "Whether the text that JOB would replace is another one than was sent."
  (and (eq (inkling--job-placement job) 'replace) (not (equal (inkling--present job) (inkling--job-source job)))))

(defun inkling--patched (source edits)
  "Return SOURCE with EDITS."
  (let ((position 0) (parts nil))
    (dolist (edit edits)
      (push (substring source position (plist-get edit :start)) parts)
      (push (plist-get edit :newText) parts)
      (setq position (plist-get edit :end)))
    (apply #'concat (nreverse (cons (substring source position) parts)))))

(defun inkling--compared (source text)
  "Return edits that make TEXT of SOURCE, found by comparing them."
  (with-temp-buffer
    (insert source)
    (dotimes (index (length source)) (put-text-property (1+ index) (+ index 2) 'inkling-index index))
    (replace-region-contents (point-min) (point-max) (lambda () text) 1)
    (goto-char (point-min))
    ;; What has an index was there before, and what has none is new.
    (let ((edits nil) (position 0))
      (while (or (not (eobp)) (< position (length source)))
        (let ((start (point)) (next nil))
          (while (not (or (eobp) (setq next (get-text-property (point) 'inkling-index)))) (forward-char))
          (setq next (or next (length source)))
          (when (or (< start (point)) (< position next))
            (push (list :start position :end next :newText (buffer-substring-no-properties start (point))) edits))
          (setq position next)
          (while (and (not (eobp)) (eql (get-text-property (point) 'inkling-index) position))
            (forward-char)
            (setq position (1+ position)))))
      (nreverse edits))))

(defun inkling--edits (source draft)
  "Return edits that make the text of DRAFT of SOURCE: its own if they do.
For long texts to compare takes too long; they are replaced."
  (let ((text (plist-get draft :text)) (edits (plist-get draft :edits)))
    (cond ((equal source text) nil)
          ((equal (ignore-errors (inkling--patched source edits)) text) edits)
          ((> (+ (length source) (length text)) 20000) (list (list :start 0 :end (length source) :newText text)))
          (t (inkling--compared source text)))))

(defun inkling--apply (start edits)
  "Make EDITS of the text at START."
  ;; Put in first, taken out then: markers at both ends of the old words stay at the ends of the new ones.
  (dolist (edit (reverse edits))
    (goto-char (+ start (plist-get edit :start)))
    (insert (plist-get edit :newText))
    (delete-region (point) (+ (point) (- (plist-get edit :end) (plist-get edit :start))))))

(defun inkling--insert-block (place start end text)
  "Insert TEXT as lines of their own PLACE (above or below) START and END."
  (goto-char (if (eq place 'above) start end))
  (cond ((eq place 'above) (goto-char (line-beginning-position)))
        ((not (and (bolp) (> end start))) (goto-char (line-end-position)) (or (eobp) (forward-char))))
  (let* ((open (not (bolp))) (text (string-trim text "\n+" "\n+"))
         (blank-before (or (bobp) (and (not open) (save-excursion (forward-line -1) (looking-at-p "[ \t]*$")))))
         (blank-after (or (eobp) (looking-at-p "[ \t]*$"))))
    ;; What stands at the next line goes along with it; at an open last line there is nothing of the kind.
    (funcall (if open #'insert #'insert-before-markers)
             (concat (when open "\n") (unless blank-before "\n") text (unless open "\n") (unless blank-after "\n")))))

(defun inkling--as-one-step (job change)
  "Call CHANGE with the ends of the text of JOB, as one step for undo."
  (with-current-buffer (inkling--buffer job)
    (let ((start (inkling--start job)) (end (inkling--end job)))
      (barf-if-buffer-read-only)
      (undo-boundary)
      (save-excursion
        (save-restriction
          ;; The text may have been narrowed away meanwhile.
          (unless (<= (point-min) start end (point-max)) (widen))
          (let ((changes (prepare-change-group)))
            (atomic-change-group (funcall change start end))
            (undo-amalgamate-change-group changes))))
      (undo-boundary))))

(defun inkling--accept (job)
  "Put the draft of JOB into its buffer, as one step for undo."
  (let ((draft (or (inkling--draft job) (user-error "There is no draft yet"))) (place (inkling--job-placement job)))
    (when (inkling--job-id job) (user-error "The draft is still being written"))
    (when (inkling--changed-p job)
      (user-error "The text was changed meanwhile; retry for the new text, or reject the draft"))
    (inkling--as-one-step job (lambda (start end)
                                (if (eq place 'replace)
                                    (inkling--apply start (inkling--edits (inkling--job-source job) draft))
                                  (inkling--insert-block place start end (plist-get draft :text)))))
    (inkling--drop job)))

;;;; The diff, and parts of a draft

(defvar inkling-diff-mode-map
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,key . ,command)
                   '(("a" . inkling-accept-hunk) ("C-c C-a" . inkling-accept-hunk) ("C-c C-c" . inkling-accept)
                     ("C-c C-k" . inkling-reject) ("C-c C-r" . inkling-retry) ("q" . quit-window)))
      (define-key map (kbd key) command))
    map)
  "The keys in the diff of a draft.")

(define-derived-mode inkling-diff-mode diff-mode "Inkling diff"
  "The diff between a text and its draft.
\\[inkling-accept-hunk] puts the change at point into the buffer, \\[inkling-accept] all that are left.
\\{inkling-diff-mode-map}"
  ;; There are no files in which to look for the syntax.
  (setq-local diff-font-lock-syntax nil)
  (setq buffer-read-only t))

(defun inkling--diff-buffer (job)
  "Return the buffer with the diff of JOB, or nil."
  (when-let ((buffer (get-buffer "*inkling diff*")))
    (and (eq (buffer-local-value 'inkling--diff-job buffer) job) buffer)))

(defun inkling--hunks (source edits)
  "Group EDITS of SOURCE.
Between two groups is a line end, a word that stays, or a good deal of text."
  (let ((hunks nil))
    (dolist (edit edits)
      (if (and hunks (not (string-match-p "\n\\|[[:space:]][^[:space:]]+[[:space:]]\\|.\\{12\\}"
                                          (substring source (plist-get (caar hunks) :end) (plist-get edit :start)))))
          (push edit (car hunks))
        (push (list edit) hunks)))
    (nreverse (mapcar #'nreverse hunks))))

(defun inkling--moved (edits distance)
  "Return EDITS for a text that begins DISTANCE characters earlier."
  (mapcar (lambda (edit) (list :start (+ (plist-get edit :start) distance) :end (+ (plist-get edit :end) distance)
                               :newText (plist-get edit :newText)))
          edits))

(defun inkling--hunk-text (line old new)
  "Return a hunk of a diff that begins at LINE.
OLD and NEW are texts of whole lines, or nil for none."
  (let ((count (lambda (text) (if text (1+ (cl-count ?\n text)) 0)))
        (marked (lambda (mark text)
                  (if text (concat mark (replace-regexp-in-string "\n" (concat "\n" mark) text t t) "\n") ""))))
    (format "@@ -%d,%d +%d,%d @@\n%s%s" line (funcall count old) line (funcall count new)
            (funcall marked "-" old) (funcall marked "+" new))))

(defun inkling--diff-hunks (job)
  "Return the hunks of JOB with their texts: (TEXT . EDITS)."
  (let* ((draft (inkling--draft job)) (source (inkling--job-source job))
         (line (with-current-buffer (inkling--buffer job) (line-number-at-pos (inkling--start job) t))))
    (if (not (eq (inkling--job-placement job) 'replace))
        (list (cons (inkling--hunk-text line nil (string-trim (plist-get draft :text) "\n+" "\n+")) t))
      (plist-put draft :edits (inkling--edits source draft))
      (mapcar (lambda (hunk)
                (let* ((start (plist-get (car hunk) :start))
                       (from (1+ (or (cl-position ?\n source :end start :from-end t) -1)))
                       (old (substring source from (string-match "\n\\|\\'" source
                                                                 (plist-get (car (last hunk)) :end)))))
                  (cons (inkling--hunk-text (+ line (cl-count ?\n source :end from)) old
                                            (inkling--patched old (inkling--moved hunk (- from))))
                        hunk)))
              (inkling--hunks source (plist-get draft :edits))))))

(defun inkling--fill-diff (job)
  "Write the diff of JOB into its buffer, and return that."
  (let ((hunks (inkling--diff-hunks job)))
    (with-current-buffer (get-buffer-create "*inkling diff*")
      (unless (derived-mode-p 'inkling-diff-mode) (inkling-diff-mode))
      (setq inkling--diff-job job)
      (let ((inhibit-read-only t) (line (line-number-at-pos)))
        (erase-buffer)
        (insert "--- text\n+++ draft\n")
        (pcase-dolist (`(,text . ,edits) hunks)
          (insert (propertize text 'inkling-hunk edits)))
        (goto-char (point-min))
        (forward-line (max 2 (1- line)))
        (when (eobp) (forward-line -1)))
      (current-buffer))))

(defun inkling-diff ()
  "Show the difference that the draft at point would make.
Single parts of it can be accepted there."
  (interactive)
  (let ((job (inkling--job-here)))
    (unless (inkling--draft job) (user-error "There is no draft yet"))
    (let ((buffer (inkling--fill-diff job)))
      (when-let ((window (display-buffer buffer)))
        (set-window-point window (with-current-buffer buffer (point)))))))

(defun inkling--restore (job start end source)
  "Note that the text of JOB is SOURCE, from START to END.
This is in the undo list before and behind a change, for undo and for redo."
  (push (list 'apply #'inkling--restore job start end source) buffer-undo-list)
  (when (memq job inkling--jobs)
    (move-overlay (inkling--job-overlay job) start end)
    (move-overlay (inkling--job-keys job) start end)
    (setf (inkling--job-source job) source)
    (inkling--show job)))

(defun inkling-accept-hunk ()
  "Put the change at point of the diff into the buffer; the others stay.
One `undo' takes it back."
  (interactive)
  (let* ((job (or (car (memq inkling--diff-job inkling--jobs)) (user-error "There is no draft to this diff")))
         (hunk (or (get-text-property (point) 'inkling-hunk) (user-error "Put point on a change")))
         (draft (inkling--draft job)) (source (inkling--job-source job)))
    (cond
     ((inkling--job-id job) (user-error "The draft is still being written"))
     ((inkling--changed-p job) (user-error "The text was changed meanwhile; C-c C-r asks again for the new text"))
     ((or (eq hunk t) (equal hunk (plist-get draft :edits))) (inkling--accept job))
     (t
      (let* ((text (inkling--patched source hunk)) (grown (- (length text) (length source)))
             (last (plist-get (car (last hunk)) :end)) (left (seq-difference (plist-get draft :edits) hunk #'eq)))
        (inkling--as-one-step
         job (lambda (start end)
               (inkling--restore job start end source)
               (inkling--apply start hunk)
               (plist-put draft :edits
                          (mapcan (lambda (edit)
                                    (inkling--moved (list edit) (if (< (plist-get edit :start) last) 0 grown)))
                                  left))
               (inkling--restore job start (+ end grown) text))))))))

;;;; Commands at a draft

(defun inkling-accept ()
  "Put the draft at point into the buffer; one `undo' takes it back.
If the text was changed meanwhile, you are asked what to do."
  (interactive)
  (let ((job (inkling--job-here)))
    (if (not (and (inkling--draft job) (not (inkling--job-id job)) (inkling--changed-p job))) (inkling--accept job)
      (pcase (read-key "The text was changed meanwhile.  r: replace it all the same, a: ask anew, other keys: keep it")
        (?r (setf (inkling--job-source job) (inkling--present job))
            (inkling--accept job))
        (?a (inkling-retry))
        (_ (message "The text and the draft stay as they are"))))))

(defun inkling-reject ()
  "Throw away the draft at point, or cancel its request."
  (interactive)
  (inkling--drop (inkling--job-here)))

(defun inkling-quit ()
  "Cancel the request at point, and only this one; without one, quit as ever."
  (interactive)
  (let ((job (inkling--job-here)))
    (cond ((not (inkling--job-id job)) (keyboard-quit))
          ((inkling--job-drafts job)
           (inkling--cancel (inkling--job-id job))
           (setf (inkling--job-id job) nil) (inkling--show job))
          (t (inkling--drop job) (message "Inkling: cancelled")))))

(defun inkling-retry ()
  "Have another draft written, of the text as it is now."
  (interactive)
  (let ((job (inkling--job-here)))
    (when (plist-member (inkling--job-params job) :text)
      (let ((text (with-current-buffer (inkling--buffer job)
                    (save-restriction (widen) (inkling--text (inkling--start job) (inkling--end job))))))
        (unless (equal text (inkling--job-source job))
          (setf (inkling--job-source job) text (inkling--job-drafts job) nil (inkling--job-index job) 0)
          (setf (inkling--job-params job) (plist-put (inkling--job-params job) :text text)))))
    (inkling--ask job (list :temperature 0.8 :seed (random 1000000000)))))

(defun inkling-next ()
  "Show the next of the drafts that were written, or have another one written."
  (interactive)
  (let* ((job (inkling--job-here)) (count (length (inkling--job-drafts job))))
    (if (< count 2) (inkling-retry)
      (setf (inkling--job-index job) (mod (1+ (inkling--job-index job)) count))
      (inkling--show job))))

(defun inkling-edit-instructions ()
  "Edit what else is to be heeded, and have another draft written."
  (interactive)
  (let* ((job (inkling--job-here))
         (words (read-string "Instructions: " (plist-get (inkling--job-params job) :instructions))))
    (setf (inkling--job-params job) (plist-put (inkling--job-params job) :instructions words))
    (inkling-retry)))

;;;; Commands

(defun inkling--choose (prompt choices &optional default)
  "Ask with PROMPT for one of CHOICES, first DEFAULT, and return its id."
  (let* ((choices (or choices (user-error "Inkling's configuration has none of these")))
         (table (mapcar (lambda (choice) (cons (plist-get choice :id) choice)) choices))
         (completion-extra-properties
          (list :annotation-function
                (lambda (id) (concat "  " (plist-get (cdr (assoc id table)) :description))))))
    (completing-read (concat prompt (and default (format " (%s)" default)) ": ") table nil t nil nil default)))

(defun inkling--choose-named (prompt things name unique describe)
  "Ask with PROMPT for one of THINGS, plists, by their NAME.
Where the same NAME is there twice, or empty, what they have as UNIQUE stands
for it.  DESCRIBE says more about a thing."
  (let* ((names (mapcar (lambda (thing) (plist-get thing name)) things))
         (table (cl-loop for thing in things for own in names
                         collect (cons (if (or (string-empty-p own) (> (cl-count own names :test #'equal) 1))
                                           (plist-get thing unique) own)
                                       thing)))
         (completion-extra-properties
          (list :annotation-function (lambda (own) (concat "  " (funcall describe (cdr (assoc own table))))))))
    (cdr (assoc (completing-read prompt table nil t) table))))

(defun inkling--feature (id)
  "Return the feature ID."
  (seq-find (lambda (feature) (equal (plist-get feature :id) id)) (inkling--offer :features)))

(defun inkling--own-commands ()
  "Return the features that are commands of the configuration."
  (let ((methods (inkling--offer :methods)))
    (cl-loop for feature in (inkling--offer :features)
             unless (member (concat "assistant/" (plist-get feature :id)) methods) collect feature)))

(defun inkling--count ()
  "Return the numeric prefix argument, if one was typed."
  (and (integerp current-prefix-arg) current-prefix-arg))

(defun inkling--place (key)
  "Return the place of answers of KEY.  With two prefix arguments, ask for it."
  (let ((place (if (equal current-prefix-arg '(16))
                   (intern (completing-read "Place: " '("replace" "above" "below" "buffer" "echo" "kill" "register")
                                            nil t))
                 (alist-get key inkling-placement 'below))))
    (if (eq place 'register) (cons place (register-read-with-preview "Answer to register: ")) place)))

(defun inkling--params (bounds &rest pairs)
  "Return PAIRS and what all requests about BOUNDS have.
With \\[universal-argument] ask for instructions."
  (let ((params (append (apply #'inkling--plist pairs) (inkling--common (car bounds) (cdr bounds)))))
    (if (equal current-prefix-arg '(4))
        (plist-put params :instructions (read-string "Instructions: " inkling-instructions))
      params)))

(defun inkling--format ()
  "Return the format in which values are wanted here."
  (pcase (inkling--language) ("org" "org") ("markdown" "markdown") ((or "latex" "tex") "latex") (_ "plaintext")))

;;;###autoload
(defun inkling-rephrase (tone)
  "Say the region, or the paragraph at point, again in TONE.
With \\[universal-argument] ask for instructions, with \\[universal-argument] \\[universal-argument] for the place."
  (interactive (list (inkling--choose "Tone" (inkling--offer :tones) inkling-tone)))
  (let* ((bounds (inkling--bounds)) (text (inkling--text (car bounds) (cdr bounds))))
    (setq inkling-tone tone)
    (inkling--begin "assistant/rephrase"
                    (inkling--params bounds :text text :tone tone
                                     :alternatives (and (> inkling-alternatives 1) inkling-alternatives))
                    (concat "Rephrase " tone) (inkling--place 'rephrase) bounds text)))

(defconst inkling--styles
  '((:id "sentences" :description "A paragraph.") (:id "bullets" :description "A list.")
    (:id "headline" :description "One line."))
  "The forms of a summary.")

;;;###autoload
(defun inkling-summarize (style)
  "Say the region, or the paragraph at point, in short, in STYLE.
A numeric argument is the number of sentences or bullets.
With \\[universal-argument] ask for instructions, with \\[universal-argument] \\[universal-argument] for the place."
  (interactive (list (inkling--choose "Style" inkling--styles "sentences")))
  (let* ((bounds (inkling--bounds)) (text (inkling--text (car bounds) (cdr bounds))))
    (inkling--begin "assistant/summarize" (inkling--params bounds :text text :style style :count (inkling--count))
                    (concat "Summary, " style) (inkling--place 'summarize) bounds text)))

(defun inkling--topic (feature)
  "Ask for the topic of FEATURE, with its suggestions; the region is the default."
  (let ((region (and (use-region-p) (buffer-substring-no-properties (region-beginning) (region-end)))))
    (completing-read (format "%s about: " (plist-get feature :title)) (plist-get feature :suggestions) nil nil region)))

(defun inkling--anchor ()
  "Return the ends of the region, or of the line at point."
  (if (use-region-p) (cons (region-beginning) (region-end)) (cons (line-beginning-position) (line-end-position))))

;;;###autoload
(defun inkling-brainstorm (kind &optional topic)
  "Make up something of KIND for TOPIC, which is asked for if nil.
A numeric argument is the number of ideas."
  (interactive (list (inkling--choose "Kind" (inkling--offer :kinds) "ideas")))
  (let ((bounds (inkling--anchor)) (topic (or topic (inkling--topic (inkling--feature "brainstorm")))))
    (inkling--begin "assistant/brainstorm"
                    (inkling--params bounds :topic topic :kind kind :count (inkling--count) :format (inkling--format))
                    (concat "Brainstorm " kind) (inkling--place 'brainstorm) bounds "")))

;;;###autoload
(defun inkling-command (id)
  "Run ID, a command of Inkling's configuration."
  (interactive (list (inkling--choose "Command" (inkling--own-commands))))
  (let* ((feature (or (inkling--feature id) (user-error "There is no command “%s”" id)))
         (selection (equal (plist-get feature :input) "selection"))
         (bounds (if selection (inkling--bounds) (inkling--anchor)))
         (text (pcase (plist-get feature :input)
                 ("selection" (inkling--text (car bounds) (cdr bounds)))
                 ("topic" (inkling--topic feature))))
         (place (pcase (plist-get feature :output) ("replace" 'rephrase) ("insert" 'brainstorm) (_ 'show))))
    (inkling--begin "assistant/command" (inkling--params bounds :id id :text text :format (inkling--format))
                    (plist-get feature :title) (inkling--place place) bounds (if selection text ""))))

;;;###autoload
(defun inkling-menu ()
  "Choose among everything that Inkling can do here."
  (interactive)
  (let* ((items (lambda (prefix list command)
                  (cl-loop for item in list
                           collect (list (concat prefix (or (plist-get item :title) (capitalize (plist-get item :id))))
                                         command (plist-get item :id)))))
         (choices (append (funcall items "Rephrase: " (inkling--offer :tones) #'inkling-rephrase)
                          (funcall items "Summarize: " inkling--styles #'inkling-summarize)
                          (funcall items "Brainstorm: " (inkling--offer :kinds) #'inkling-brainstorm)
                          (funcall items "" (inkling--own-commands) #'inkling-command)
                          '(("Chat" inkling-chat) ("Chats that were kept" inkling-sessions)
                            ("Choose a voice" inkling-choose-voice) ("Choose a model" inkling-choose-model)
                            ("Stop" inkling-stop)
                            ("Status" inkling-status) ("Doctor" inkling-doctor))))
         (choice (cdr (assoc (completing-read "Inkling: " choices nil t) choices))))
    (if (cdr choice) (funcall (car choice) (cadr choice)) (call-interactively (car choice)))))

(defun inkling-stop (all)
  "Cancel the request at point, in a chat its answer.
With prefix argument ALL cancel everything everywhere."
  (interactive "P")
  (cond (all (mapc #'inkling--drop (seq-filter #'inkling--job-id inkling--jobs)))
        ((derived-mode-p 'inkling-chat-mode) (call-interactively 'inkling-chat-stop))
        (t (inkling-reject))))

(defun inkling-choose-voice (voice)
  "Write in VOICE from now on; chats go on in theirs."
  (interactive (list (inkling--choose "Voice" (inkling--offer :personalities) inkling-voice)))
  (setq inkling-voice voice)
  (message "Inkling: voice %s" voice))

(defun inkling--models ()
  "Return the models on this machine."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert (encode-coding-string (inkling--run-well "models" "list" "--json") 'utf-8))
    (goto-char (point-min))
    (plist-get (inkling--decode) :models)))

(defun inkling--describe-model (model)
  "Return what there is to know about MODEL before it is chosen."
  (format "%s, %s, fits: %s%s" (file-size-human-readable (plist-get model :sizeBytes))
          (or (plist-get model :quantization) (plist-get model :architecture)) (plist-get model :fits)
          (if (plist-get model :inUse) ", in use" "")))

(defun inkling-choose-model (path)
  "Use the model at PATH, one of those on this machine.
It holds from the daemon's next start on.  You are asked whether to stop the one
that runs, which keeps the model it has."
  (interactive
   (list (plist-get (inkling--choose-named
                     "Model: " (or (inkling--models) (user-error "No model is here; see “inkling models --help”"))
                     :name :path #'inkling--describe-model)
                    :path)))
  (let ((said (inkling--run-well "models" "use" path)))
    (if (and (eql (car (inkling--run "status")) 0)
             (y-or-n-p (concat said "  A daemon runs with the one it has.  Stop it, and what all editors ask of it? ")))
        (message "%s  It starts again, with the new model, when something is asked." (inkling--run-well "stop"))
      (message "%s" said))))

(defun inkling--status-text (status)
  "Return STATUS, an answer to daemon/status, in a few lines."
  (let* ((model (plist-get status :model)) (availability (plist-get model :availability))
         (rate (plist-get (plist-get status :rates) :completionTokensPerSecond)))
    (concat
     (format "Inkling %s: %s, %s" (plist-get status :version)
             (or (plist-get (plist-get model :model) :name) "no model in memory") (plist-get availability :state))
     (when-let ((words (plist-get availability :message)))
       (concat "\n" (inkling--explain (list :message words :data availability))))
     (format "\n%d requests, %d failed, %d clients%s" (plist-get (plist-get status :totals) :requests)
             (plist-get (plist-get status :totals) :failedRequests) (length (plist-get status :clients))
             (if rate (format ", %.0f tokens a second" rate) "")))))

(defun inkling-status ()
  "Tell about the daemon and the model, without loading it."
  (interactive)
  (inkling--request "daemon/status" nil
                    (lambda (status failure)
                      (message "%s" (if failure (inkling--explain failure) (inkling--status-text status))))))

(defun inkling-doctor ()
  "Check what Inkling needs, in a buffer."
  (interactive)
  (let* ((program (executable-find (car inkling-program))) (default-directory (expand-file-name "~/"))
         (say (lambda (&rest lines)
                (with-current-buffer (get-buffer-create "*inkling doctor*")
                  (unless (derived-mode-p 'special-mode) (special-mode))
                  (let ((inhibit-read-only t))
                    (save-excursion (goto-char (point-max)) (insert (string-join lines "\n") "\n")))))))
    (funcall say (format-time-string "%F %T, Emacs ") emacs-version
             (if (ignore-errors (json-serialize [])) "It has native JSON." "No native JSON: long answers are slow.")
             (or program (format "No program “%s”: install it, or set `inkling-program'" (car inkling-program))))
    (display-buffer "*inkling doctor*")
    (when program
      (inkling--request "daemon/status" nil
                        (lambda (status failure)
                          (funcall say (if failure (inkling--explain failure) (inkling--status-text status)) "")))
      (when (equal (cdr inkling-program) '("connect"))
        (make-process :name "inkling doctor" :command (list program "doctor") :noquery t :connection-type 'pipe
                      :filter (lambda (_process text) (funcall say (string-trim-right text))) :sentinel #'ignore)))))

;;;; Chats

;; A chat is a buffer.  What has been said is read-only; behind it is a prompt, where a message can be typed also while
;; an answer is being written.  The session lives in the daemon, for as long as the buffer unless the chat is kept.

(defvar-local inkling--chat nil
  "The chat of this buffer, a plist.
:session is its id, :process the one that knows it, :kept whether the session
outlives both, :title its title, :turns a list of (START MESSAGE ANSWER), the
last first, :id the request at work, :stopped the one that was cancelled, :shown
what has come of it, and :answer its place.")
(defvar-local inkling--chat-prompt nil "The marker of the prompt, which stays behind what was said.")

(defvar inkling-chat-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'inkling-chat-send)
    (define-key map (kbd "C-j") #'newline)
    (define-key map (kbd "C-c C-c") #'inkling-chat-send)
    (define-key map (kbd "C-c C-k") #'inkling-chat-stop)
    (define-key map (kbd "C-c C-r") #'inkling-chat-retry)
    (define-key map (kbd "C-c C-u") #'inkling-chat-undo)
    (define-key map (kbd "C-c C-s") #'inkling-chat-keep)
    map)
  "The keys of a chat.")

(define-derived-mode inkling-chat-mode text-mode "Inkling chat"
  "A conversation.  Type behind the last prompt and press \\[inkling-chat-send].
\\{inkling-chat-mode-map}"
  (setq-local mode-line-process '(:eval (inkling--chat-state)))
  (setq inkling--chat (list :session nil :kept inkling-keep-chats))
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
(defun inkling-chat (&optional new)
  "Talk with the model, in a buffer; quote the region if there is one.
With prefix argument NEW begin another chat beside those that there are."
  (interactive "P")
  (let* ((region (and (use-region-p) (inkling--text (region-beginning) (region-end))))
         (name (if new (generate-new-buffer-name "*inkling chat*") "*inkling chat*"))
         (there (get-buffer name)))
    (pop-to-buffer (get-buffer-create name))
    (unless there (inkling-chat-mode))
    (goto-char (point-max))
    (when region (save-excursion (insert "\n\n" region)))))

(defun inkling--chat-transcript ()
  "Return what has been said in the chat, as the protocol writes it."
  (vconcat (cl-loop for (_ message answer) in (reverse (plist-get inkling--chat :turns))
                    collect (list :role "prompt" :text message) collect (list :role "response" :text answer))))

(defun inkling--chat-known-p ()
  "Whether the chat has a session, as far as is known here."
  (and (plist-get inkling--chat :session)
       (or (plist-get inkling--chat :kept) (eq (plist-get inkling--chat :process) inkling--process))))

(defun inkling--chat-session (message)
  "Return the id of the chat's session.
Unless there is one, make one that begins with what has been said.  A title is
made of MESSAGE if there is none."
  (inkling--connect)
  (unless (inkling--chat-known-p)
    ;; Kept sessions of all times have to differ.
    (let ((id (format "emacs-%s-%06x" (format-time-string "%Y%m%d%H%M%S") (random #x1000000)))
          (kept (plist-get inkling--chat :kept)) (buffer (current-buffer)))
      (inkling--chat-set :session id)
      (inkling--chat-set :process inkling--process)
      (unless (plist-get inkling--chat :title)
        (inkling--chat-set :title (truncate-string-to-width (car (split-string message "\n")) 60 nil nil "…")))
      (inkling--request "session/create"
                        (inkling--plist :sessionId id :personality inkling-voice :contextPolicy "slidingWindow"
                                        :title (plist-get inkling--chat :title) :persist (and kept t)
                                        :transcript (inkling--chat-transcript))
                        (lambda (result failure)
                          (when (and kept (buffer-live-p buffer))
                            (with-current-buffer buffer
                              (unless (plist-get (plist-get result :session) :persisted)
                                (inkling--chat-set :kept nil)
                                (message "Inkling: this chat is not kept.  %s"
                                         (if failure (inkling--explain failure)
                                           (or (inkling--warnings result) ""))))))))))
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
          "assistant/chat" (append what (list :sessionId (inkling--chat-session message)))
          (lambda (result failure)
            (when (buffer-live-p buffer)
              (with-current-buffer buffer
                (inkling--chat-set :id nil)
                (inkling--chat-cut (plist-get inkling--chat :answer))
                (cond ((not failure) (inkling--chat-keep-turn start message (plist-get result :text) result))
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

(defun inkling--chat-keep-turn (start message answer result)
  "Keep the turn from START: MESSAGE and ANSWER; show the warnings of RESULT."
  (inkling--chat-say (concat answer "\n\n"))
  (inkling--chat-set :turns (cons (list start message answer) (plist-get inkling--chat :turns)))
  (when-let ((warnings (inkling--warnings result))) (message "Inkling: %s" warnings))
  (force-mode-line-update))

(defun inkling--chat-fail (start message old)
  "Undo the turn from START: show its OLD answer, or put MESSAGE into the input."
  (if old (inkling--chat-keep-turn start message old nil)
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
  (pcase-let* ((known (inkling--chat-known-p))
               (`(,start ,message ,answer) (inkling--chat-last-turn)))
    (inkling--chat-cut (+ start (length message) 2))
    (inkling--chat-ask (if known (list :retry t) (list :message message)) start message answer)))

(defun inkling-chat-undo ()
  "Take back the last turn; its message is put into the input."
  (interactive)
  (pcase-let ((`(,start ,message ,_) (inkling--chat-last-turn)))
    (when (inkling--chat-known-p)
      (inkling--request "session/rewind" (list :sessionId (plist-get inkling--chat :session) :turns 1) #'ignore))
    (inkling--chat-fail start message nil)))

(defun inkling--chat-end ()
  "End the session of a chat whose buffer is killed; this cancels its request.
A chat that is kept goes on to exist."
  (when-let ((id (plist-get inkling--chat :id))) (inkling--cancel id))
  (when (and inkling--process (not (plist-get inkling--chat :kept)) (inkling--chat-known-p))
    (inkling--request "session/delete" (list :sessionId (plist-get inkling--chat :session)) #'ignore)))

(defun inkling-chat-keep (title)
  "Keep the chat on the disk under TITLE: it outlives its buffer and the daemon.
`inkling-sessions' finds it again."
  (interactive (list (read-string "Keep as: " (or (plist-get inkling--chat :title)
                                                  (nth 1 (car (last (plist-get inkling--chat :turns))))))))
  (unless (derived-mode-p 'inkling-chat-mode) (user-error "This is no chat"))
  (when (plist-get inkling--chat :id) (user-error "The answer is being written; C-c C-k stops it"))
  (inkling--chat-set :title title)
  ;; A session cannot become one that is kept: another one takes its place.
  (unless (and (plist-get inkling--chat :kept) (inkling--chat-known-p))
    (inkling--chat-end)
    (inkling--chat-set :session nil)
    (inkling--chat-set :kept t)
    (inkling--chat-session title))
  ;; The answer to this says that it is there.
  (inkling--call "session/update" (list :sessionId (plist-get inkling--chat :session) :title title))
  (message "Inkling: the chat is kept; M-x inkling-sessions finds it"))

(defun inkling--chat-open (session transcript)
  "Open a chat of SESSION, in which TRANSCRIPT was said."
  (let ((id (plist-get session :sessionId)) (title (plist-get session :title)))
    (pop-to-buffer (generate-new-buffer (format "*inkling chat: %s*" (if (string-empty-p title) id title))))
    (inkling-chat-mode)
    (dolist (pair (list (cons :session id) (cons :title title) (cons :kept t)))
      (inkling--chat-set (car pair) (cdr pair)))
    (let ((message nil))
      (dolist (entry transcript)
        (let ((text (or (plist-get entry :text) (inkling--outline (plist-get entry :value)))))
          (pcase (plist-get entry :role)
            ("prompt" (setq message text))
            ("response"
             (let ((start (copy-marker inkling--chat-prompt nil)))
               (inkling--chat-say (concat message "\n\n") 'bold)
               (inkling--chat-keep-turn start message text nil)))))))
    (goto-char (point-max))))

;;;###autoload
(defun inkling-sessions (delete)
  "Go on with a chat that was kept; with prefix argument DELETE, delete one."
  (interactive "P")
  (let* ((kept (seq-filter (lambda (session) (plist-get session :persisted))
                           (plist-get (inkling--call "session/list" nil) :sessions)))
         (id (plist-get (inkling--choose-named (if delete "Delete chat: " "Chat: ")
                                               (or (reverse kept) (user-error "No chat was kept"))
                                               :title :sessionId
                                               (lambda (session) (format "%d turns, %s" (plist-get session :turns)
                                                                         (plist-get session :updatedAt))))
                        :sessionId))
         (open (seq-find (lambda (buffer)
                           (equal (plist-get (buffer-local-value 'inkling--chat buffer) :session) id))
                         (buffer-list))))
    (cond ((not delete) (if open (pop-to-buffer open)
                          (let ((whole (inkling--call "session/get" (list :sessionId id))))
                            (inkling--chat-open (plist-get whole :session) (plist-get whole :transcript)))))
          ((yes-or-no-p (format "Delete the chat %s for good? " id))
           (inkling--call "session/delete" (list :sessionId id))))))

;;;; The mode

(defvar inkling--timer nil "The timer that waits for the region to rest.")
(defun inkling--region ()
  "Return the region as something to compare, if it may be read beforehand."
  (when (and inkling-prewarm (region-active-p) (not (minibufferp)) (not (inkling--secret-p)))
    (let ((start (region-beginning)) (end (region-end)))
      (when (< start end (+ start inkling-prewarm-limit 1))
        (list (current-buffer) start end (buffer-chars-modified-tick))))))

(defun inkling--watch ()
  "Look whether the region is another one.
The minibuffer does not count: there one chooses what to do with the region."
  (unless (minibufferp)
    (when inkling--timer (cancel-timer inkling--timer))
    ;; Nothing is started for a region: only a process that runs is told of it.
    (let ((region (and inkling--assistant (inkling--region))))
      (when (and inkling--prewarmed (not (equal region inkling--prewarmed)))
        (setq inkling--prewarmed nil)
        (when inkling--assistant (inkling--notify "assistant/prewarm" nil)))
      (when (and region (not inkling--prewarmed))
        (setq inkling--timer (run-with-timer inkling-prewarm-delay nil #'inkling--prewarm region))))))

(defvar battery-status-function)
(defvar inkling--power nil "When it was asked whether the battery is in use, and the answer.")
(defun inkling--on-battery-p ()
  "Whether this machine is on battery, as was known less than a minute ago."
  (unless (and inkling--power (< (- (float-time) (car inkling--power)) 60))
    (setq inkling--power
          (cons (float-time)
                (ignore-errors
                  (require 'battery)
                  (let ((case-fold-search t))
                    ;; The words differ: off-line, BAT, Battery Power.
                    (string-match-p "\\`\\(?:off\\|bat\\)" (alist-get ?L (funcall battery-status-function))))))))
  (cdr inkling--power))

(defun inkling--prewarm (region)
  "Have REGION read if it is still as it was."
  (when (and inkling--assistant (buffer-live-p (car region))
             (or (eq inkling-prewarm 'always) (not (inkling--on-battery-p))))
    (with-current-buffer (car region)
      (pcase-let ((`(,_ ,start ,end ,_) region))
        (when (and (equal region (inkling--region)) (not (region-noncontiguous-p)))
          (let ((text (buffer-substring-no-properties start end)))
            (unless (or (inkling--odd-p text) (string-blank-p text))
              (setq inkling--prewarmed region)
              (inkling--notify "assistant/prewarm"
                               (list :method "assistant/rephrase"
                                     :params (append (list :text text :tone inkling-tone)
                                                     (inkling--common start end)))))))))))

(defun inkling-mode-line ()
  "Return the segment of the mode line: what is done at the moment."
  (let* ((running (seq-filter #'inkling--job-id inkling--jobs)) (state (plist-get inkling--availability :state))
         (words (cond (running (concat (inkling--job-progress (car running))
                                       (when (cdr running) (format " +%d" (length (cdr running))))))
                      ((equal state "loading")
                       (format "loading %d %%" (* 100 (or (plist-get inkling--availability :progress) 0))))
                      ((and (equal state "unavailable")
                            (not (equal (plist-get inkling--availability :reason) "unloaded")))
                       "no model")
                      ((and inkling--jobs inkling--rate) (format "%.0f tokens/s" inkling--rate)))))
    (concat " Ink" (when words (concat "[" (replace-regexp-in-string "%" "%%" words) "]")))))

;;;###autoload
(define-minor-mode inkling-mode
  "Show in the mode line what Inkling does, and have regions read beforehand."
  :global t :lighter (:eval (inkling-mode-line))
  ;; A quit ends no command, but it takes the region back.
  (dolist (hook '(post-command-hook deactivate-mark-hook))
    (if inkling-mode (add-hook hook #'inkling--watch) (remove-hook hook #'inkling--watch)))
  (when inkling--timer (cancel-timer inkling--timer)))

;;;###autoload (autoload 'inkling-map "inkling" nil t 'keymap)
(defvar inkling-map nil "The keys of all commands, a prefix to bind.")
(define-prefix-command 'inkling-map)
(dolist (pair '(("r" . inkling-rephrase) ("s" . inkling-summarize) ("b" . inkling-brainstorm) ("c" . inkling-command)
                ("t" . inkling-chat) ("m" . inkling-menu) ("k" . inkling-stop) ("v" . inkling-choose-voice)
                ("o" . inkling-choose-model) ("l" . inkling-sessions) ("D" . inkling-diff)
                ("i" . inkling-status) ("d" . inkling-doctor) ("a" . inkling-accept) ("n" . inkling-next)))
  (define-key inkling-map (kbd (car pair)) (cdr pair)))

(provide 'inkling)
;;; inkling.el ends here
