/** How a CLI takes a message while it works. */

/**
 * `hook`: a hook of the CLI reads letters from a mailbox, a folder that only Supervisor writes. `gateway`: the gateway
 * inserts the text into a request.
 */
export type MessageWay =
  | { readonly channel: 'gateway' }
  | {
      readonly channel: 'hook';
      /** The file in the mailbox for a text. */
      readonly letter: (text: string) => string;
      /** Other files that the mailbox has from the start, by name. */
      readonly files: Readonly<Record<string, string>>;
    };

export const HOOK_PROGRAM = 'take-letter.sh';

/**
 * Prints one letter that was not printed before. Claiming is atomic, because a CLI runs the hooks of parallel tool calls
 * side by side. A subagent is another conversation, so its hooks take none. An argument is the name of the event that the
 * answer must have instead of the one in the letter.
 */
export const HOOK_SCRIPT = `#!/bin/sh
input=$(cat)
case $input in *'"agent_id"'*) exit 0 ;; esac
box=\${0%/*}
taken="$HOME/.supervisor-letters/\${box##*/}"
for letter in "$box"/*.letter; do
  [ -r "$letter" ] || continue
  mkdir -p "$taken" && mkdir "$taken/\${letter##*/}" 2>/dev/null || continue
  sed 's/"hookEventName":"PostToolUse"/"hookEventName":"'"\${1:-PostToolUse}"'"/' "$letter"
  exit 0
done
`;

/** The command of a hook that prints the next letter. `event`: the name of its event, if it is another one. */
export function hookCommand(mailbox: string, event?: string): string {
  return `sh '${mailbox}/${HOOK_PROGRAM}'${event === undefined ? '' : ` ${event}`}`;
}

/** The answer of a hook after a tool call, as Claude Code reads it. */
export function contextLetter(text: string): string {
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: text },
  });
}
