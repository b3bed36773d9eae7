/** Options of other tools for what an option of Supervisor does. They are no options: the answer names the right one. */
import type { Command } from 'commander';

const TIME = ['limit the time of an attempt', '--deadline', '30m'] as const;
const BACKGROUND = ['return at once', '--detach', ''] as const;
const CHECK = ['check the work', '--gate', '"npm test"'] as const;
const FOLDER = ['work in another folder', '--project', 'DIR'] as const;
const AGENTS = ['name the agents, in their order', '--chain', 'claude,codex'] as const;
const ATTEMPTS = ['limit the number of attempts', '--set', 'recovery.attempts_max=5'] as const;
const COST = ['limit the cost', '--budget-usd', '5'] as const;

/** Each with what the person probably wants, the option that does it, and an example of its value. */
const SYNONYMS: Readonly<Record<string, readonly [aim: string, option: string, value: string]>> = {
  '--timeout': TIME,
  '--time-limit': TIME,
  '--max-time': TIME,
  '--background': BACKGROUND,
  '--bg': BACKGROUND,
  '--async': BACKGROUND,
  '--test': CHECK,
  '--check': CHECK,
  '--verify': CHECK,
  '--dir': FOLDER,
  '--cwd': FOLDER,
  '-C': FOLDER,
  '--agents': AGENTS,
  '--fallback': AGENTS,
  '--fallbacks': AGENTS,
  '--retries': ATTEMPTS,
  '--max-attempts': ATTEMPTS,
  '--max-cost': COST,
  '--cost': COST,
  '--dry-run': ['check everything and start nothing', '--preflight-only', ''],
  '--no-sandbox': ['run the agent without a sandbox', '--unsafe-no-sandbox', ''],
  '--auto-apply': ['apply work that passes every gate', '--apply', ''],
};

/** What the person may have meant by an option that there is not. Empty: nothing that is known. */
export function suggestOption(program: Command, words: readonly string[]): string {
  const [name = ''] = words;
  if (name === '-v') return 'To print the version: supervisor --version\n';
  const command = program.commands.find(
    (one) => one.name() === name || one.aliases().includes(name),
  );
  const lines = words.flatMap((word) => {
    const [typed = ''] = word.split('=');
    const found = Object.hasOwn(SYNONYMS, typed) ? SYNONYMS[typed] : undefined;
    if (found === undefined) return [];
    const [aim, option, value] = found;
    const isThere = command?.options.some(({ long }) => long === option) ?? false;
    return isThere ? [`To ${aim}: ${`${option} ${value}`.trim()}\n`] : [];
  });
  return (lines[0] ?? '') + suggestBudget(words);
}

/** A budget needs a unit. A number alone is probably money. */
function suggestBudget(words: readonly string[]): string {
  const at = words.findIndex((word) => /^--budget(?:=|$)/.test(word));
  if (at < 0) return '';
  const value = (words[at] ?? '').split('=')[1] ?? words[at + 1] ?? '';
  const amount = /^\$?(\d+(?:\.\d+)?)$/.exec(value)?.[1] ?? '5';
  return `Did you mean: --budget-usd ${amount}? To limit tokens: --budget-tokens 2000000\n`;
}
