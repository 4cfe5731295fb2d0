;;; feature-tests.el --- Features, menus, reading beforehand -*- lexical-binding: t; -*-

;;; Code:

(require 'support)

(ert-deftest inkling-test-brainstorm ()
  (tests-with '(("assistant/brainstorm" ((:snapshot (:concepts ["A dragon" "A"])) (:until "$/a")
                                         (:result (:rendered "1. A dragon\n2. A snail")))))
      "* Ideas\nnext\n"
    (org-mode)
    (tests-keys "M-2 C-c i b t a g s RET s n a i l s RET")
    (tests-until (string-match-p "^concepts: *\n- A dragon\n- A\n" (tests-shown)))
    (let ((sent (car (tests-got "assistant/brainstorm"))))
      (should (equal (mapcar (lambda (key) (plist-get sent key)) '(:kind :topic :count :format))
                     '("tags" "snails" 2 "org"))))
    (inkling--notify "$/a" nil)
    (tests-ready)
    (tests-keys "C-c C-c")
    (should (equal (tests-text) "* Ideas\n\n1. A dragon\n2. A snail\n\nnext\n"))))

(ert-deftest inkling-test-summarize ()
  (tests-with `(("assistant/summarize" ,(tests-answer "- S."))) "one\n"
    (tests-keys "M-4 C-c i s b u l l e t s RET")
    (tests-ready)
    (should (equal (plist-get (car (tests-got "assistant/summarize")) :style) "bullets"))
    (should (equal (plist-get (car (tests-got "assistant/summarize")) :count) 4))))

(ert-deftest inkling-test-instructions-are-asked-for ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1"))) "one\n"
    (tests-keys "C-u C-c i r p l a i n RET b r i e f RET")
    (tests-ready)
    (should (equal (plist-get (car (tests-got "assistant/rephrase")) :tone) "plain"))
    (should (equal (plist-get (car (tests-got "assistant/rephrase")) :instructions) "brief"))))

(ert-deftest inkling-test-own-command-and-menu ()
  (tests-with `(("assistant/command" ,(tests-answer "Mend it" :output "insert"))
                ("assistant/rephrase" ,(tests-answer "1")))
      "diff\n"
    (tests-keys "C-c i c c o m m i t RET")
    (tests-ready)
    (tests-keys "C-c C-c")
    (should (equal (tests-text) "diff\n\nMend it\n"))
    (should (equal (plist-get (car (tests-got "assistant/command")) :id) "commit"))
    (tests-keys "C-c i m R e p h r a s e : SPC P l a i n RET")
    (tests-ready)
    (should (equal (plist-get (car (tests-got "assistant/rephrase")) :tone) "plain"))))

(ert-deftest inkling-test-menus-follow-the-configuration ()
  (tests-with '(("assistant/summarize"
                 ((:notify ["assistant/didChangeConfiguration"
                            (:features [(:id "x" :title "X" :description "" :input "none" :output "show"
                                         :suggestions [])]
                             :tones [(:id "pirate" :title "Pirate" :description "Arr.")] :personalities [])])
                  (:result (:text "S."))))
                ("assistant/command" ((:result (:id "x" :output "show" :text "Shown."))))
                ("assistant/rephrase" ((:result (:text "1")))))
      "one\n"
    (tests-keys "C-c i s RET")
    (tests-ready)
    (tests-keys "C-c C-k C-c i r p i r a t e RET")
    (tests-ready)
    (should (equal (plist-get (car (tests-got "assistant/rephrase")) :tone) "pirate"))
    (tests-keys "C-c C-k C-c i c x RET")
    (tests-until (tests-said-p "\\`Shown\\.\\'"))
    (should (equal (tests-text) "one\n"))))

(ert-deftest inkling-test-voice-status-and-doctor ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1"))
                ("daemon/status"
                 ((:result (:version "0.1.0" :clients [(:name "Emacs")] :totals (:requests 40 :failedRequests 1)
                            :rates (:completionTokensPerSecond 71.5)
                            :model (:availability (:state "available") :model (:name "Small")))))))
      "one\n"
    (tests-keys "C-c i v d o r y RET C-c i r RET")
    (tests-ready)
    (should (equal (plist-get (car (tests-got "assistant/rephrase")) :personality) "dory"))
    (tests-keys "C-c i i")
    (tests-until (tests-said-p "Small, available\n40 requests, 1 failed, 1 clients, 72 tokens"))
    (tests-keys "C-c i d")
    (tests-until (with-current-buffer "*inkling doctor*" (string-match-p "Small, available" (buffer-string))))))

(ert-deftest inkling-test-tool-calls-are-answered ()
  (tests-with `(("assistant/rephrase"
                 ((:raw ,(let ((body "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tool/call\"}"))
                           (format "Content-Length: %d\r\n\r\n%s" (length body) body)))
                  (:result (:text "1")))))
      "one\n"
    (tests-keys "C-c i r RET")
    (tests-ready)
    (tests-until (seq-some (lambda (message) (eql (plist-get (plist-get message :error) :code) -32601))
                           (tests-messages :in)))))

(ert-deftest inkling-test-region-is-read-beforehand ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1"))) "one two\n"
    (inkling-mode)
    (inkling--offer :tones)
    (tests-keys "M-< C-SPC M-f")
    (tests-until (tests-got "assistant/prewarm"))
    (tests-keys "M-f")
    (tests-until (= (length (tests-got "assistant/prewarm")) 3))
    (condition-case nil (tests-keys "C-g") (quit nil))
    (tests-until (= (length (tests-got "assistant/prewarm")) 4))
    (let ((sent (tests-got "assistant/prewarm")))
      (should (equal (plist-get (plist-get (nth 0 sent) :params) :text) "one"))
      (should-not (nth 1 sent))
      (should (equal (plist-get (plist-get (nth 2 sent) :params) :text) "one two"))
      (should-not (nth 3 sent))
      ;; What is read beforehand is what is asked for then.
      (tests-region 1 8)
      (tests-keys "C-c i r RET")
      (tests-ready)
      (let ((asked (car (tests-got "assistant/rephrase"))))
        (dolist (key '(:text :tone :context :instructions))
          (should (equal (plist-get asked key) (plist-get (plist-get (nth 2 sent) :params) key))))))))

(ert-deftest inkling-test-secrets-and-long-regions-are-not-read-beforehand ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1"))) "one two\n"
    (inkling-mode)
    (inkling--offer :tones)
    (dolist (name '(".env" ".env.local" "server.pem" "a.key" "id_rsa" "mail.gpg" "credentials.json"))
      (setq buffer-file-name (expand-file-name name "/nowhere"))
      (should (inkling--secret-p))
      (tests-region 1 8)
      (inkling--watch)
      (should-not (memq inkling--timer timer-list)))
    (setq buffer-file-name "/nowhere/notes.md")
    (should-not (inkling--secret-p))
    (let ((inkling-prewarm-limit 6))
      (tests-region 1 8)
      (inkling--watch)
      (should-not (memq inkling--timer timer-list)))
    (tests-region 1 8)
    (inkling--watch)
    (should (memq inkling--timer timer-list))
    ;; Without Transient Mark mode a mark is always there; what is asked about is the paragraph.
    (let ((transient-mark-mode nil)) (should-not (inkling--region)))
    (setq buffer-file-name "/nowhere/.env")
    (tests-region 1 4)
    (let ((inkling-context 100)) (tests-keys "C-c i r RET"))
    (tests-ready)
    (let ((context (plist-get (car (tests-got "assistant/rephrase")) :context)))
      (should-not (or (plist-get context :before) (plist-get context :after))))
    (setq buffer-file-name nil)))

(ert-deftest inkling-test-nothing-is-read-beforehand-on-battery ()
  (tests-with '(("assistant/rephrase")) "one two\n"
    (inkling-mode)
    (inkling--offer :tones)
    (require 'battery)
    (dolist (line '("off-line" "BAT" "Battery Power" "on-line" "AC" "N/A" nil))
      (let ((battery-status-function (lambda () (list (cons ?L line)))) (inkling--prewarmed nil) (inkling--power nil))
        (tests-region 1 4)
        (inkling--prewarm (inkling--region))
        (should (eq (null inkling--prewarmed) (and (member line '("off-line" "BAT" "Battery Power")) t)))))
    ;; It is asked once in a minute, not at each region.
    (let ((inkling--power nil) (asked 0))
      (let ((battery-status-function (lambda () (cl-incf asked) '((?L . "BAT")))))
        (dotimes (_ 3) (inkling--prewarm (inkling--region)))
        (should (= asked 1))
        (let ((inkling-prewarm 'always)) (inkling--prewarm (inkling--region)))
        (should inkling--prewarmed)))))

(ert-deftest inkling-test-names-are-those-of-the-protocol ()
  (let ((contract (with-temp-buffer
                    (insert-file-contents (expand-file-name "../../../protocol.md" tests-folder))
                    (buffer-string)))
        ;; Words of Emacs, and of the plugin for itself.
        (own '(type group prefix tag key-type value-type inherit extend strike-through slant object-type array-type
               null-object false-object coding noquery buffer sentinel filter connection-type stderr constructor copier
               annotation-function eval lighter global session process kept turns progress shown overlay view keys
               placement source drafts index answer stopped json-false from-end test
               ;; Of the program's own list of models.
               models inUse fits))
        (unknown nil))
    (with-temp-buffer
      (insert-file-contents (locate-library "inkling.el"))
      (while (re-search-forward "[ (]:\\([a-zA-Z-]+\\)" nil t)
        (let ((word (match-string 1)))
          (unless (or (memq (intern word) own) (string-match-p (format "[`\"]%s[`\"]" word) contract))
            (push word unknown))))
      (goto-char (point-min))
      (while (re-search-forward "\"\\(\\(?:assistant\\|session\\|model\\|daemon\\|\\$\\)/[a-zA-Z]+\\)\"" nil t)
        (let ((method (match-string 1)))
          (unless (string-search (format "### `%s`" method) contract) (push method unknown)))))
    (should-not unknown)))

(provide 'feature-tests)
;;; feature-tests.el ends here
