# The commands of Inkling, their completion, and the user mode `inkling`.

define-command inkling-rephrase -params ..1 -docstring "inkling-rephrase [tone]: say the selections again" %{
    inkling-ask rephrase %arg{1}
}
define-command inkling-summarize -params ..2 \
    -docstring "inkling-summarize [style] [count]: say in short what the selections say" %{
    inkling-ask summarize %arg{1} %arg{2}
}
define-command inkling-brainstorm -params ..3 \
    -docstring "inkling-brainstorm [kind] [count] [topic]: make something up for the topic, else for the selections" %{
    inkling-ask brainstorm %arg{1} %arg{2} %arg{3}
}
define-command inkling-run -params 1 -docstring "inkling-run <command>: run a command of the configuration" %{
    inkling-ask command %arg{1}
}

define-command inkling-accept -docstring "put the answers at the selections in their place" %{
    inkling-verify accept %val{client} ''
}
define-command inkling-accept-all -docstring "put all answers of this buffer in their place" %{
    inkling-verify accept %val{client} all
}
define-command inkling-discard -docstring "throw the answers at the selections away" %{ inkling-point discard }
define-command inkling-stop -docstring "stop the requests at the selections, else the latest one" %{
    inkling-point stop
}
define-command inkling-stop-all -docstring "stop all requests" %{ inkling-point stop-all }
define-command inkling-next -docstring "the next answer" %{ inkling-point next 1 }
define-command inkling-previous -docstring "the previous answer" %{ inkling-point next -1 }
define-command inkling-retry -params ..1 -docstring "inkling-retry [instructions]: another answer" %{
    inkling-verify retry %arg{1}
}
define-command inkling-instruct -docstring "ask for instructions, and for another answer" %{
    prompt instructions: %{ inkling-retry %val{text} }
}
define-command inkling-diff -docstring "show what the answer at the cursor changes" %{ inkling-point diff }
define-command inkling-open -docstring "show the answer at the cursor in a buffer" %{ inkling-point open }
define-command inkling-yank -docstring "yank the answers at the selections" %{ inkling-point yank }

define-command inkling-status -docstring "who uses the daemon and what it has loaded" %{ inkling-point status }
define-command inkling-doctor -docstring "check the installation" %{ inkling-point doctor }
define-command inkling-voice -params ..1 -docstring "inkling-voice [voice]: the voice from now on" %{
    set-option global inkling_voice %arg{1}
}
define-command inkling-model -params 1 -docstring "inkling-model <file>: load another model" %{
    inkling-point model %arg{1}
}

define-command inkling-chat -params ..1 -docstring "inkling-chat [message]: talk in a buffer" %{
    try %{
        buffer *inkling-chat*
    } catch %{
        edit -scratch *inkling-chat*
        set-option buffer filetype markdown
        execute-keys '%c> <esc>'
        map buffer normal <ret> ': inkling-chat-send<ret>' -docstring 'send'
        map buffer insert <a-ret> '<esc>: inkling-chat-send<ret>' -docstring 'send'
        hook buffer NormalKey <esc> %{ inkling-point stop }
        hook buffer BufClose .* %{ inkling-tell chat-end }
    }
    execute-keys geA
    evaluate-commands -save-regs '"' %sh{
        [ -z "$1" ] || echo "set-register dquote %arg{1}; execute-keys '<c-r>\"<esc>'; inkling-chat-send"
    }
}
define-command -hidden inkling-chat-send %{ evaluate-commands -draft %{
    execute-keys '%'
    inkling-tell chat-send %val{selection}
} }
define-command inkling-chat-undo -docstring "have the last turn of the chat forgotten" %{ inkling-tell chat-undo }

# Said by the helper. Each appends inkling_texts, or writes it over the answer.
define-command -hidden inkling-chat-more %{ evaluate-commands -draft -save-regs '"' %{
    set-register dquote %opt{inkling_texts}
    execute-keys gep s…<ret>
    set-option buffer inkling_regions %val{timestamp} "%val{selection_desc}|InklingAnswer"
} }
define-command -hidden inkling-chat-put %{ evaluate-commands -draft -save-regs '"' %{
    update-option buffer inkling_regions
    evaluate-commands %sh{
        eval set -- "$kak_quoted_opt_inkling_regions"
        printf 'select %s' "${2%%|*}"
    }
    set-register dquote %opt{inkling_texts}
    execute-keys R
    set-option buffer inkling_regions %val{timestamp} "%val{selection_desc}|InklingAnswer"
} }

# COMMAND CONDITION LIST: completes the command with what the daemon offers.
define-command -hidden inkling-choices -params 3 %{
    complete-command %arg{1} shell-script-candidates "%arg{2}
        cat ""$kak_opt_inkling_folder/%arg{3}"" 2>/dev/null || {
            eval set -- ""$kak_quoted_opt_inkling_command""
            ""$kak_opt_inkling_python"" -B ""$kak_opt_inkling_helper/helper"" choices %arg{3} ""$@"" 2>/dev/null
        }"
}
inkling-choices inkling-rephrase '' tones
inkling-choices inkling-brainstorm '[ $kak_token_to_complete = 0 ] || exit' kinds
inkling-choices inkling-run '' commands
inkling-choices inkling-voice '' voices
inkling-choices inkling-model '' models
complete-command inkling-summarize shell-script-candidates %{
    [ $kak_token_to_complete != 0 ] || printf '%s\n' sentences bullets headline
}

# LIST COMMAND: runs the command with a word of the list, which can be filtered and scrolled.
define-command -hidden inkling-pick -params 2 %{
    prompt -menu -shell-script-candidates "
        cat ""$kak_opt_inkling_folder/%arg{1}"" 2>/dev/null || {
            eval set -- ""$kak_quoted_opt_inkling_command""
            ""$kak_opt_inkling_python"" -B ""$kak_opt_inkling_helper/helper"" choices %arg{1} ""$@"" 2>/dev/null
        }" "%arg{1}: " "%arg{2} %%val{text}"
}
define-command -hidden inkling-choose -params 1 %{ evaluate-commands %sh{
    set -- $1
    case $1 in
        rephrase | summarize | brainstorm | chat | status | doctor) echo "inkling-$*" ;;
        *) echo "inkling-run $1" ;;
    esac
} }
define-command inkling-menu -docstring "choose from everything that can be done" %{ inkling-pick menu inkling-choose }

declare-user-mode inkling
map global inkling r ': inkling-rephrase<ret>' -docstring 'rephrase'
map global inkling t ': inkling-pick tones inkling-rephrase<ret>' -docstring 'rephrase in a tone…'
map global inkling s ': inkling-summarize<ret>' -docstring 'summarize'
map global inkling b ': inkling-brainstorm<ret>' -docstring 'brainstorm'
map global inkling m ': inkling-menu<ret>' -docstring 'everything…'
map global inkling c ': inkling-chat<ret>' -docstring 'chat'
map global inkling a ': inkling-accept<ret>' -docstring 'accept'
map global inkling A ': inkling-accept-all<ret>' -docstring 'accept all'
map global inkling d ': inkling-discard<ret>' -docstring 'discard'
map global inkling q ': inkling-stop<ret>' -docstring 'stop'
map global inkling g ': inkling-retry<ret>' -docstring 'again: another answer'
map global inkling i ': inkling-instruct<ret>' -docstring 'again, with instructions…'
map global inkling n ': inkling-next<ret>' -docstring 'next answer'
map global inkling p ': inkling-previous<ret>' -docstring 'previous answer'
map global inkling = ': inkling-diff<ret>' -docstring 'difference'
map global inkling o ': inkling-open<ret>' -docstring 'open the answer in a buffer'
map global inkling y ': inkling-yank<ret>' -docstring 'yank the answer'
map global inkling v ': inkling-pick voices inkling-voice<ret>' -docstring 'voice…'
map global inkling l ': inkling-pick models inkling-model<ret>' -docstring 'load a model…'
map global inkling ? ': inkling-status<ret>' -docstring 'status'
