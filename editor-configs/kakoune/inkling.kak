# Inkling in Kakoune: commands, a user mode, and drafts that are shown below the text until they are accepted. README.md
# says how to install it. What takes time is done by a helper (helper/, Python), which holds one `inkling connect`;
# nothing here waits for it. Kakoune tells it something by a file and a signal, and it answers by `kak -p`.

declare-option -docstring "the program and its arguments" str-list inkling_command inkling connect
declare-option -docstring "the Python that runs the helper, 3.8 or newer" str inkling_python python3
declare-option -docstring "false puts answers in their place at once" bool inkling_preview true
declare-option -docstring "where answers go, by feature or command: replace, below, above, buffer, echo or yank" \
    str-to-str-map inkling_placement rephrase=replace summarize=below brainstorm=below
declare-option -docstring "the tone of a rephrase that names none" str inkling_tone ''
declare-option -docstring "the voice; empty for the daemon's own" str inkling_voice ''
declare-option -docstring "what else each request is to heed" str inkling_instructions ''
declare-option -docstring "how many texts a rephrase gives, 1 to 5" int inkling_alternatives 1
declare-option -docstring "what is being done, for the mode line" str inkling_status ''

declare-option -hidden str inkling_helper %sh{ cd "${kak_source%/*}" && pwd }
declare-option -hidden str inkling_folder
declare-option -hidden str inkling_pid
declare-option -hidden int inkling_count 0
declare-option -hidden str inkling_mode normal
declare-option -hidden range-specs inkling_regions
declare-option -hidden range-specs inkling_new
declare-option -hidden str-list inkling_texts
declare-option -hidden str-list inkling_cursors

set-face global InklingWaiting default,default+d
set-face global InklingReady default,default+u
set-face global InklingTitle +i
set-face global InklingGone red
set-face global InklingAdded green
add-highlighter -override global/inkling ranges inkling_regions

# Told to the helper: a file with everything about the place, then a signal. A file, since an environment is too small
# for a text. The helper is started by the first thing that is told.
define-command -hidden inkling-tell -params 1.. %{
    inkling-start
    set-option -add global inkling_count 1
    update-option buffer inkling_regions
    echo -quoting kakoune -to-file "%opt{inkling_folder}/in-%opt{inkling_count}" \
        %val{session} %val{client} %val{bufname} %val{timestamp} "%opt{inkling_regions}" "%opt{inkling_cursors}" \
        %opt{filetype} %opt{inkling_preview} "%opt{inkling_placement}" %opt{inkling_tone} %opt{inkling_voice} \
        %opt{inkling_instructions} %opt{inkling_alternatives} %arg{@} end
    nop %sh{ kill -USR1 "$kak_opt_inkling_pid" 2>/dev/null }
}

define-command -hidden inkling-start %{ evaluate-commands %sh{
    if [ -d "$kak_opt_inkling_folder" ] && kill -0 "$kak_opt_inkling_pid" 2>/dev/null; then exit; fi
    command -v "$kak_opt_inkling_python" >/dev/null 2>&1 || {
        echo "fail \"inkling: there is no %opt{inkling_python}. Install Python 3.8 or newer, or set inkling_python\""
        exit
    }
    folder=$(mktemp -d "${XDG_RUNTIME_DIR:-${TMPDIR:-/tmp}}/inkling-kakoune.XXXXXXXX") || {
        echo "fail 'inkling: there is no place for temporary files'"
        exit
    }
    eval set -- "$kak_quoted_opt_inkling_command"
    # Until it listens, a signal must not end it, and the first one may come at once. When the terminal closes, it sees
    # that the editor has gone. PPID is the editor.
    trap '' USR1 HUP
    "$kak_opt_inkling_python" -B "$kak_opt_inkling_helper/helper" serve "$folder" "$kak_session" "$PPID" "$@" \
        </dev/null >/dev/null 2>"$folder/errors" &
    echo "set-option global inkling_folder '$folder'
        set-option global inkling_pid $!
        set-option global inkling_count 0"
    # Of one that has died nothing is known any more.
    [ -z "$kak_opt_inkling_pid" ] || echo "evaluate-commands -buffer * %{
        unset-option buffer inkling_regions
        remove-hooks buffer inkling
    }"
} }

# With the text of the selections. What is nothing but a cursor stands for its paragraph.
define-command -hidden inkling-ask -params 1.. %{ evaluate-commands -draft %{
    evaluate-commands -itersel %{ try %{
        execute-keys <a-k>(?s)\A..<ret>
    } catch %{
        execute-keys <a-k>\S<ret><a-i>p
    } catch %{
        execute-keys x<a-k>\S<ret><a-i>p
    } catch %{
        nop
    } }
    set-option global inkling_cursors %val{selections_desc}
    inkling-tell %arg{@} -- %val{selections}
} }

# Without.
define-command -hidden inkling-point -params 1.. %{
    set-option global inkling_cursors %val{selections_desc}
    inkling-tell %arg{@}
}

# With what stands in the regions of drafts now.
define-command -hidden inkling-verify -params 1.. %{ evaluate-commands -draft %{
    set-option global inkling_cursors %val{selections_desc}
    update-option buffer inkling_regions
    try %{
        evaluate-commands %sh{
            eval set -- "$kak_quoted_opt_inkling_regions"
            ranges=
            for region do case $region in *,*) ranges="$ranges ${region%%|*}" ;; esac; done
            printf 'select%s' "$ranges"
        }
        inkling-tell %arg{@} -- %val{selections}
    } catch %{
        inkling-tell %arg{@} --
    }
} }

# Said by the helper from here on.

# TIMESTAMP RANGE|FACE...: regions of that time, brought to the present one.
define-command -hidden inkling-add -params 2.. %{
    set-option buffer inkling_new %arg{@}
    update-option buffer inkling_new
    update-option buffer inkling_regions
    evaluate-commands %sh{
        eval set -- "$kak_quoted_opt_inkling_new"
        shift
        printf 'set-option -add buffer inkling_regions'
        printf " '%s'" "$@"
    }
    remove-hooks buffer inkling
    hook -group inkling buffer NormalIdle .* %{ inkling-point look }
    hook -group inkling buffer NormalKey <esc> %{ inkling-point escape }
    hook -group inkling buffer BufClose .* %{ inkling-tell closed }
}

define-command -hidden inkling-drop -params 1.. %{
    evaluate-commands %sh{
        names=" $* "
        eval set -- "$kak_quoted_opt_inkling_regions"
        printf 'set-option buffer inkling_regions %s' "$1"
        shift
        left=0
        for region do case $names in
            *" ${region##*|} "*) ;;
            *) left=1; printf " '%s'" "$region" ;;
        esac; done
        [ $left = 1 ] || printf '\nremove-hooks buffer inkling\n'
    }
}

# TIMESTAMP CLIENT KEYS NAMES RANGE...: puts inkling_texts in the place of the ranges, if they are those of now.
define-command -hidden inkling-apply -params 5.. %{ evaluate-commands %sh{
    client=$2 keys=$3 names=$4
    if [ "$kak_timestamp" != "$1" ]; then
        echo "inkling-verify accept '$client' '$names'"
        exit
    fi
    shift 4
    echo "evaluate-commands -draft -save-regs '\"' %{
        select $*
        set-register dquote %opt{inkling_texts}
        execute-keys '$keys'
        set-option global inkling_cursors %val{selections_desc}
    }
    inkling-drop $names"
    # The answer is selected where it was asked for, as after any change in Kakoune.
    [ -z "$client" ] || echo "try %{ inkling-select '$client' %val{bufname} }"
    echo "inkling-tell applied '$names'"
} }

define-command -hidden inkling-select -params 2 %{
    evaluate-commands -client %arg{1} -verbatim inkling-select-here %arg{2}
}
define-command -hidden inkling-select-here -params 1 %{ evaluate-commands %sh{
    [ "$kak_bufname" = "$1" ] || exit
    eval set -- "$kak_quoted_opt_inkling_cursors"
    echo "select $*"
} }

# BUFFER FACE: shows inkling_texts below the region, but not over a prompt or a menu, nor in another buffer.
define-command -hidden inkling-show -params 2 %{
    try %{ update-option buffer inkling_regions }
    evaluate-commands %sh{
        [ "$kak_bufname" = "$1" ] || exit
        case $kak_opt_inkling_mode in normal | insert) ;; *) exit ;; esac
        face=$2
        eval set -- "$kak_quoted_opt_inkling_regions"
        for region do case $region in
            *,*"|$face")
                begin=${region%%,*} end=${region#*,} end=${end%%|*}
                [ "${begin%.*}" = "${end%.*}" ] || begin=${end%.*}.1
                echo "info -anchor $begin -style below -markup -- %opt{inkling_texts}"
                ;;
        esac; done
    }
}

define-command -hidden inkling-info %{ info -title inkling -- %opt{inkling_texts} }

# NAME: a buffer to read inkling_texts in; q leaves it.
define-command -hidden inkling-buffer -params 1 %{
    edit! -scratch %arg{1}
    evaluate-commands -save-regs '"' %{
        set-register dquote %opt{inkling_texts}
        execute-keys '%R' gg
    }
    map buffer normal q ': delete-buffer<ret>' -docstring 'leave'
}

define-command -hidden inkling-difference %{
    inkling-buffer *inkling*
    add-highlighter buffer/ regex (?s)\[-.*?-\] 0:InklingGone
    add-highlighter buffer/ regex (?s)\{\+.*?\+\} 0:InklingAdded
}

hook -group inkling global ModeChange '(?:push|pop):.*:(\w+).*' %{
    try %{ set-option window inkling_mode %val{hook_param_capture_1} }
}
hook -group inkling global KakEnd .* %{ nop %sh{
    [ -z "$kak_opt_inkling_pid" ] || kill "$kak_opt_inkling_pid" 2>/dev/null
} }

source "%opt{inkling_helper}/commands.kak"
