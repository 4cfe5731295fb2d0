# Inkling in Kakoune by way of kakoune-lsp 18 or newer: for ~/.config/kak/kakrc. This has not been tried. Select some
# text and run :lsp-code-actions; with nothing but the cursor the paragraph is meant.

eval %sh{kak-lsp}

hook -group inkling global BufSetOption filetype=(?:asciidoc|git-commit|latex|mail|markdown|plain|restructuredtext) %{
    set-option buffer lsp_servers %{
        [inkling]
        root_globs = [".git", ".hg"]
        command = "inkling"
        args = ["connect"]
    }
}

hook -group inkling global WinSetOption filetype=(?:asciidoc|git-commit|latex|mail|markdown|plain|restructuredtext) %{
    lsp-enable-window
}
