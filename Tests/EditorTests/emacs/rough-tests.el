;;; rough-tests.el --- Buffers and settings that are not the usual ones -*- lexical-binding: t; -*-

;;; Code:

(require 'support)
(require 'org)

(defmacro tests-one-word (&rest body)
  "Run BODY with the draft “2” for the second of three lines, which is selected."
  `(tests-with `(("assistant/rephrase" ,(tests-answer "2"))) "one\ntwo\nthree\n"
     (tests-region 5 8)
     (tests-keys "C-c i r RET")
     (tests-ready)
     ,@body))

(defun tests-accepted-p ()
  "Whether accepting works, is one step, and undo takes it back with point."
  (goto-char 6)
  (tests-keys "C-c C-c")
  (should (equal (tests-text) "one\n2\nthree\n"))
  (tests-keys "C-/")
  (should (equal (tests-text) "one\ntwo\nthree\n"))
  (should-not (overlays-in (point-min) (point-max))))

(ert-deftest inkling-test-undo-brings-point-back ()
  (tests-one-word
   (goto-char 7)
   (tests-keys "C-c C-c C-/")
   (should (equal (tests-text) "one\ntwo\nthree\n"))
   (should (= (point) 7))))

(ert-deftest inkling-test-narrowed-away-meanwhile ()
  (tests-one-word
   (narrow-to-region 9 14)
   (inkling-accept)
   (should (equal (tests-text) "three"))
   (widen)
   (should (equal (tests-text) "one\n2\nthree\n"))
   (goto-char 5)
   (tests-keys "C-/ C-c i r RET")
   (tests-ready)
   (insert "x")
   (narrow-to-region 9 12)
   (tests-keys "C-c C-c a")
   (tests-ready)
   (widen)
   (inkling-accept)
   (should (string-match-p "^2\n" (tests-text)))))

(ert-deftest inkling-test-indirect-buffers-have-no-drafts-of-their-own ()
  (tests-one-word
   (let ((first (current-buffer)) (clone (clone-indirect-buffer "a test, again" nil)))
     (with-current-buffer clone (should-not (overlays-in (point-min) (point-max))))
     ;; The text is that of both, and the draft follows it.
     (with-current-buffer clone (goto-char 1) (insert "0\n"))
     (kill-buffer clone)
     (should (= (length inkling--jobs) 1))
     (inkling-accept)
     (should (equal (tests-text) "0\none\n2\nthree\n"))
     (let ((clone (clone-indirect-buffer "a test, again" nil)))
       (with-current-buffer clone
         (tests-region 1 2)
         (inkling-rephrase "formal")
         (tests-ready)
         (inkling-accept)
         (should (equal (with-current-buffer first (tests-text)) "2\none\n2\nthree\n"))
         (inkling-rephrase "formal"))
       (kill-buffer clone)
       (should-not inkling--jobs)))))

(ert-deftest inkling-test-read-only-parts-that-came-meanwhile ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "1 b 3" :edits '((:start 0 :end 1 :newText "1")
                                                                      (:start 4 :end 5 :newText "3")))))
      "a b c\n"
    (tests-keys "C-c i r RET")
    (tests-ready)
    (add-text-properties 1 2 '(read-only t))
    (should-error (inkling-accept) :type 'text-read-only)
    (should (equal (tests-text) "a b c\n"))
    (should (string-match-p "^1 b 3\n" (tests-shown)))
    (let ((inhibit-read-only t)) (inkling-accept))
    (should (equal (tests-text) "1 b 3\n"))
    (setq buffer-read-only t)
    (should-error (inkling-rephrase "formal") :type 'buffer-read-only)
    (let ((inhibit-read-only t))
      (remove-text-properties 1 6 '(read-only nil))
      (inkling-rephrase "formal")
      (tests-ready)
      (inkling-reject))))

(ert-deftest inkling-test-hooks-that-fail-leave-text-and-draft ()
  (tests-one-word
   (add-hook 'before-change-functions (lambda (&rest _) (error "No")) nil t)
   (should-error (inkling-accept))
   (should (equal (tests-text) "one\ntwo\nthree\n"))
   (add-hook 'after-change-functions (lambda (start end _) (when (< start end) (error "No"))) nil t)
   (should-error (inkling-accept))
   (should (equal (tests-text) "one\ntwo\nthree\n"))
   (should (string-match-p "^2\n" (tests-shown)))
   (tests-accepted-p)))

(ert-deftest inkling-test-minor-modes-that-meddle ()
  (let ((fill-column 10))
    (tests-one-word
     (auto-fill-mode)
     (electric-indent-local-mode)
     (abbrev-mode)
     (delete-selection-mode)
     (unwind-protect
         (progn
           ;; Selected once more: a command at the draft does not delete it.
           (tests-region 5 8)
           (tests-accepted-p))
       (delete-selection-mode -1)))))

(ert-deftest inkling-test-without-transient-mark-mode ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "2"))) "one two\n\nthree\n"
    (let ((transient-mark-mode nil))
      (push-mark 4 t t)
      (goto-char 6)
      (tests-keys "C-c i r RET")
      (tests-ready)
      (tests-keys "C-c C-c")
      (should (equal (tests-text) "2\n\nthree\n")))))

(ert-deftest inkling-test-undo-in-the-region-and-none-at-all ()
  (tests-one-word
   (goto-char 6)
   (tests-keys "C-c C-c")
   (tests-region 5 6)
   (tests-keys "C-u C-/")
   (should (equal (tests-text) "one\ntwo\nthree\n"))
   (buffer-disable-undo)
   (goto-char 6)
   (tests-keys "C-c i r RET")
   (tests-ready)
   (tests-keys "C-c C-c")
   (should (string-match-p "2" (tests-text)))
   (should (eq buffer-undo-list t))))

(ert-deftest inkling-test-keyboard-macros-accept ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "2"))) "one\n\ntwo\n\nthree\n\n"
    (let ((wait (lambda () (interactive) (tests-ready))))
      (local-set-key (kbd "<f9>") wait)
      (execute-kbd-macro (kbd "C-c i r RET <f9> C-c C-c C-n C-n") 3)
      (should (equal (tests-text) "2\n\n2\n\n2\n\n")))))

(ert-deftest inkling-test-minibuffer-and-dired ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "2"))) "one\n"
    (let ((typed nil))
      (local-set-key (kbd "<f8>") (lambda () (interactive) (setq typed (read-string "Words: "))))
      (define-key minibuffer-local-map (kbd "<f9>")
        (lambda () (interactive) (inkling-rephrase "formal") (tests-ready) (inkling-accept)))
      (unwind-protect (tests-keys "<f8> w o r d s <f9> RET")
        (define-key minibuffer-local-map (kbd "<f9>") nil))
      (should (equal typed "2")))
    (should-not inkling--jobs)
    (with-current-buffer (dired-noselect temporary-file-directory)
      (goto-char (point-min))
      (let ((before (buffer-string)))
        (should-error (inkling-rephrase "formal") :type 'buffer-read-only)
        (should (equal (buffer-string) before)))
      (kill-buffer))
    (should-not inkling--jobs)))

(ert-deftest inkling-test-draft-in-a-fold-is-shown-behind-it ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "* ONE\ntwo"))) "* one\ntwo\n\nmore\n* next\n"
    (org-mode)
    (goto-char 1)
    (org-cycle)
    (should (invisible-p 8))
    (tests-keys "C-c i r RET")
    (tests-ready)
    (let ((shown (overlay-start (inkling--job-view (car inkling--jobs)))))
      (should-not (invisible-p shown))
      (should (= shown 16)))
    (inkling-accept)
    (should (equal (tests-text) "* ONE\ntwo\n\nmore\n* next\n"))))

(ert-deftest inkling-test-coding-systems-stay ()
  (dolist (coding '(utf-16le-with-signature-unix latin-1-dos utf-8-with-signature-dos iso-2022-jp-unix))
    (let* ((file (make-temp-file "inkling-tests"))
           (text (if (eq coding 'iso-2022-jp-unix) "日本\n本\n" "née\nété\n")) (line (string-match "\n" text)))
      (unwind-protect
          (tests-with `(("assistant/rephrase" ,(tests-answer (substring text 0 1)))) ""
            (let ((coding-system-for-write coding)) (write-region text nil file nil 'quiet))
            (let ((coding-system-for-read coding)) (find-file file))
            (tests-region 1 (1+ line))
            (tests-keys "C-c i r RET")
            (tests-ready)
            (should (equal (plist-get (car (tests-got "assistant/rephrase")) :text) (substring text 0 line)))
            (inkling-accept)
            (save-buffer)
            (kill-buffer (get-file-buffer file))
            (with-temp-buffer
              (set-buffer-multibyte nil)
              (insert-file-contents-literally file)
              (should (equal (buffer-string)
                             (encode-coding-string (concat (substring text 0 1) (substring text line)) coding)))))
        (delete-file file)))))

(ert-deftest inkling-test-huge-buffers-are-no-burden ()
  (tests-with `(("assistant/rephrase" ,(tests-answer "2"))) (make-string 2500000 ?é)
    (let ((gc-cons-threshold most-positive-fixnum) (began (float-time)))
      (goto-char (point-max))
      (insert "\n\ntwo\n\n" (mapconcat #'identity (make-list 50000 "a line of forty characters or about this") "\n"))
      (setq buffer-undo-list nil)
      (goto-char 2500004)
      (tests-keys "C-c i r RET")
      (tests-ready)
      (tests-keys "C-c C-d C-c C-c")
      (should (equal (buffer-substring 2500000 2500005) "é\n\n2\n"))
      (should (< (- (float-time) began) 5)))))

(ert-deftest inkling-test-debugging-does-not-stop-the-stream ()
  (tests-with '(("assistant/rephrase" ((:text "x") (:error (:code 1001 :message "Gone.")))
                 ((:result (:text "")))  ((:result (:text "2")))))
      "one\n"
    (let ((debug-on-error t) (debugger (lambda (&rest _) (ert-fail "The debugger was called"))))
      (dotimes (_ 2)
        (tests-keys "C-c i r RET")
        (tests-until (null inkling--jobs)))
      (tests-keys "C-c i r RET")
      (tests-ready)
      (tests-keys "C-c C-c"))
    (should (equal (tests-text) "2\n"))))

(provide 'rough-tests)
;;; rough-tests.el ends here
