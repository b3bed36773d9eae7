# Completion of supervisor for fish. Load it with: supervisor completion fish | source
function __supervisor_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (supervisor completion words -- $words[2..] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            printf '%s\n' $line
        end
    end
end
complete -c supervisor -f -k -a '(__supervisor_complete)'
