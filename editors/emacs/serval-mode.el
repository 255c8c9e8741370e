;;; serval-mode.el --- Request handlers, checked while typing -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; A mode for `.ser' and `.tso' files.  With eglot, which Emacs has from 29 on
;; and as a package before, `M-x eglot' starts the server `serval lsp'.

;;; Code:

(defgroup serval nil
  "Request handlers, checked while typing."
  :group 'languages)

(defcustom serval-command '("serval" "lsp")
  "The command that starts the server."
  :type '(repeat string))

(defconst serval-words
  '("request" "if" "else" "while" "yield" "return" "skip" "break" "continue" "min" "max" "atomic" "lock" "unlock"
    "await" "assume" "assert" "invariant" "choose" "for" "in" "const" "enum" "var" "wrap" "saturate" "fn" "version"
    "fresh" "and" "or" "not" "true" "false")
  "The words of the language.")

(defvar serval-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124" table)
    (modify-syntax-entry ?* ". 23b" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    table))

(defvar serval-font-lock-keywords
  `((,(regexp-opt serval-words 'words) . font-lock-keyword-face)
    ("\\_<\\(?:request\\|fn\\)\\s-+\\(\\w+\\)" 1 font-lock-function-name-face)
    ;; A name is shared where its first letter is upper-case.
    ("\\_<[_0-9]*[A-Z]\\w*\\_>" . font-lock-variable-name-face)))

(defun serval-indent-line ()
  "Indent a line by the brackets that are open before it."
  (interactive)
  (let* ((depth (save-excursion
                  (back-to-indentation)
                  (let ((closes (looking-at-p "[])}]")))
                    (max 0 (- (car (syntax-ppss)) (if closes 1 0))))))
         (indent (* 2 depth)))
    (if (<= (current-column) (current-indentation))
        (indent-line-to indent)
      (save-excursion (indent-line-to indent)))))

;;;###autoload
(define-derived-mode serval-mode prog-mode "serval"
  "A mode for request handlers."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local indent-line-function #'serval-indent-line)
  (setq-local font-lock-defaults '(serval-font-lock-keywords)))

;;;###autoload
(define-derived-mode serval-tso-mode serval-mode "serval-tso"
  "A mode for programs on weak memory.")

;;;###autoload
(progn
  (add-to-list 'auto-mode-alist '("\\.ser\\'" . serval-mode))
  (add-to-list 'auto-mode-alist '("\\.tso\\'" . serval-tso-mode)))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((serval-mode serval-tso-mode) . (lambda (&rest _) serval-command))))

(provide 'serval-mode)
;;; serval-mode.el ends here
