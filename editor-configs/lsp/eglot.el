;;; eglot.el --- Inkling in Emacs by way of Eglot  -*- lexical-binding: t -*-

;; Load it from init.el.  In a buffer of text, M-x eglot starts it, and M-x eglot-code-actions offers what can be done
;; with the region.  Without a region Eglot means the word at point.  It has one server for a buffer, so that this one
;; takes the place of another for Markdown or LaTeX.

;;; Code:

(require 'eglot)

;; Modes that are made of `text-mode' are meant too: Markdown, Org, LaTeX, mail.
(add-to-list 'eglot-server-programs '(text-mode . ("inkling" "connect")))

;; Edits come because they were asked for, and each is one step of undo.
(setq eglot-confirm-server-initiated-edits nil)

;; Changes are sent when nothing has been typed for so long.  An answer that comes meanwhile waits for them.
(setq eglot-send-changes-idle-time 0.2)

;; (add-hook 'markdown-mode-hook #'eglot-ensure)
;; (define-key eglot-mode-map (kbd "C-c i") #'eglot-code-actions)

;;; eglot.el ends here
