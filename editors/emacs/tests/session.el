;;; session.el --- One session without a screen -*- lexical-binding: t -*-

;; Open, wait for the verdict, apply a fix, rename, format, write.  SERVAL is the program, FILE the text.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'flymake)
(require 'serval-mode)

(defvar session-patience (string-to-number (or (getenv "PATIENCE") "60")))

(defun session-wait (what condition)
  "Wait until CONDITION holds; say that there is no WHAT where it takes too long."
  (let ((end (+ (float-time) session-patience)) (found nil))
    (while (and (not (setq found (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (unless found
      (message "emacs: no %s" what)
      (kill-emacs 1))
    found))

(defun session-told (start)
  "Whether a diagnostic begins with START, behind its source and code where eglot shows these."
  (let ((told (concat "\\(?:\\`\\|\\]: \\)" (regexp-quote start))))
    (cl-some (lambda (one) (string-match-p told (flymake-diagnostic-text one))) (flymake-diagnostics))))

(setq serval-command (list (getenv "SERVAL") "lsp")
      eglot-sync-connect 60
      eglot-send-changes-idle-time 0
      make-backup-files nil)

(find-file (getenv "FILE"))
(unless (eq major-mode 'serval-mode)
  (message "emacs: the mode is %s" major-mode)
  (kill-emacs 1))
(apply #'eglot--connect (eglot--guess-contact))
(session-wait "server" #'eglot-current-server)
(flymake-mode 1)
(flymake-start)
(session-wait "verdict" (lambda () (session-told "not serializable: lost-update")))

(let ((fix (session-wait
            "fix"
            (lambda ()
              (cl-find-if
               (lambda (action) (string-suffix-p "(proved)" (plist-get action :title)))
               (jsonrpc-request (eglot-current-server) :textDocument/codeAction
                                (list :textDocument (eglot--TextDocumentIdentifier)
                                      :range (list :start (list :line 0 :character 0) :end (list :line 0 :character 0))
                                      :context (list :diagnostics []))))))))
  ;; From eglot 1.16 on it asks where it comes from, to know whether to confirm.
  (if (equal (func-arity #'eglot--apply-workspace-edit) '(2 . 2))
      (eglot--apply-workspace-edit (plist-get fix :edit) 'session)
    (eglot--apply-workspace-edit (plist-get fix :edit))))
(eglot--signal-textDocument/didChange)
(session-wait "verdict about the fix" (lambda () (session-told "serializable")))

(goto-char (point-min))
(re-search-forward "\\_<seen\\_>")
(backward-char 2)
(eglot-rename "noticed")
(eglot--signal-textDocument/didChange)
(when (save-excursion (goto-char (point-min)) (re-search-forward "\\_<seen\\_>" nil t))
  (message "emacs: the old name is still there")
  (kill-emacs 1))
(eglot-format-buffer)
(save-buffer)
(kill-emacs 0)

;;; session.el ends here
