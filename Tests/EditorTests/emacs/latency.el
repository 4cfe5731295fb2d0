;;; latency.el --- How long the first word takes -*- lexical-binding: t; -*-

;;; Commentary:

;; `run --measure': from the key to the first words on the screen, with the real program and the model in memory.  The
;; texts and the pauses are those of the measures of Vim and Neovim, so that the figures can be compared.

;;; Code:

(require 'inkling)

(defconst latency-texts
  '("gonna be late tmrw, train's broken again so can u start without me"
    "the ferry was super full and the sea was kinda rough but nobody complained"
    "can u send me the numbers for march asap, the boss keeps asking about em"
    "sorry but i cant come to the party cuz my kid is sick and i gotta stay home"
    "pls check if the heater is off b4 you leave, last time it ran all night")
  "What is rephrased.")

(defun latency-wait (done-p)
  "Wait until DONE-P says so."
  (while (not (funcall done-p)) (accept-process-output nil 0.002)))

(defun latency-rest (seconds)
  "Let SECONDS pass as they would for a user: with timers, and with what processes write."
  (let ((end (+ (float-time) seconds)))
    (latency-wait (lambda () (>= (float-time) end)))))

(defun latency-first-word (text seconds)
  "Return the milliseconds until the first words for TEXT, which has been selected for SECONDS."
  (with-current-buffer (get-buffer-create "latency")
    (switch-to-buffer (current-buffer))
    (erase-buffer)
    (insert text)
    (push-mark (point-min) t t)
    (run-hooks 'post-command-hook)
    (latency-rest seconds)
    (let ((start (float-time)))
      (execute-kbd-macro (kbd "C-c i r RET"))
      (let ((job (car inkling--jobs)))
        (latency-wait (lambda () (or (inkling--job-drafts job) (not (string-empty-p (inkling--job-shown job))))))
        (redisplay t)
        (prog1 (round (* 1000 (- (float-time) start)))
          ;; A request that is cancelled leaves less in the daemon's cache than one that is answered.
          (latency-wait (lambda () (not (inkling--job-id job))))
          (inkling-reject))))))

(defun latency-report (name seconds suffix)
  "Tell under NAME how long the first words take for texts that end in SUFFIX and were selected for SECONDS."
  (let ((times (mapcar (lambda (text) (latency-first-word (concat text suffix) seconds)) latency-texts)))
    (write-region (format "%s: median %d ms of %s\n" name (nth 2 (sort (copy-sequence times) #'<)) times)
                  nil (getenv "FIGURES") t 'quiet)))

(transient-mark-mode)
(setq inkling-program (list (or (getenv "INKLING_BINARY") "inkling") "connect"))
(global-set-key (kbd "C-c i") 'inkling-map)
(inkling-mode)
(condition-case problem
    (progn
      (let ((inkling-prewarm nil))
        (latency-first-word "this is how it begins" 0)
        (latency-report "warm daemon" 0.4 ""))
      (let ((inkling-prewarm 'always)) (latency-report "prewarmed" 1.5 " ok")))
  (error (write-region (format "%S\n" problem) nil (getenv "FIGURES") t 'quiet)))
(kill-emacs)

;;; latency.el ends here
