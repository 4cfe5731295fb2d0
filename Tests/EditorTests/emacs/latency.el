;;; latency.el --- How long the first word takes -*- lexical-binding: t; -*-

;;; Commentary:

;; From the command to the first words in the buffer, with the real program and the model in memory:
;;
;;     emacs --batch -Q -L editor-configs/emacs -l Tests/EditorTests/emacs/latency.el
;;
;; INKLING_BINARY is the program.  Each text is another one, so that none was read before, but for prewarmed ones.

;;; Code:

(require 'inkling)

(defun latency-first-word (number prewarm)
  "Return the milliseconds until the first words for text NUMBER; PREWARM it before if non-nil."
  (with-temp-buffer
    (insert (format "gonna be late to meeting %d tmrw, the train's broken again and the bus is full" number))
    (when prewarm
      (push-mark (point-min) t t)
      (inkling--prewarm (inkling--region))
      (latency-wait (let ((end (+ (float-time) 3))) (lambda () (> (float-time) end)))))
    (let* ((start (float-time)) (job (inkling-rephrase "formal")))
      (latency-wait (lambda () (or (inkling--job-drafts job) (not (string-empty-p (inkling--job-shown job))))))
      (prog1 (round (* 1000 (- (float-time) start)))
        (inkling-reject)))))

(defun latency-wait (done-p)
  "Wait until DONE-P says so."
  (while (not (funcall done-p)) (accept-process-output nil 0.002)))

(transient-mark-mode)
(setq inkling-program (list (or (getenv "INKLING_BINARY") "inkling") "connect"))
(inkling--offer :tones)
(latency-first-word 0 nil)
(dolist (prewarm '(nil t))
  (let ((times (sort (mapcar (lambda (number) (latency-first-word (+ number (if prewarm 20 10)) prewarm))
                             (number-sequence 1 7))
                     #'<)))
    (message "%s: median %d ms (%d to %d)" (if prewarm "prewarmed" "warm")
             (nth 3 times) (car times) (car (last times)))))

;;; latency.el ends here
