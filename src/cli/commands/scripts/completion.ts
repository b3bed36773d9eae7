import { Argument } from 'commander';
import type { Command } from 'commander';
import { readPackageFile } from '../../../host/files/package-data.ts';
import type { CliContext } from '../../cli-context.ts';
import { printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import type { Candidate } from '../../completion/complete-words.ts';
import { completeWords, startingWith } from '../../completion/complete-words.ts';
import { liveWords } from '../../completion/live-words.ts';

/** Each has a script in the package. The script asks `supervisor completion words` what can follow. */
const SHELLS = ['bash', 'zsh', 'fish'];
const ABOUT_CHARS_MAX = 60;

/** `program` has all commands: they are what is completed. */
export function addCompletion(program: Command, context: CliContext, finish: CommandEnding): void {
  const completion = program
    .command('completion')
    .description('Print a script that completes commands, options and ids in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: string) => {
      context.out(readPackageFile(`completion/supervisor.${shell}`), 'verbatim');
      finish(0);
    });
  completion
    .command('words', { hidden: true })
    .description('Print what can follow the words, for the scripts')
    .argument('[words...]', 'the words after supervisor; the last one may be incomplete')
    .action(async (words: readonly string[]) => {
      context.out(await offer(program, context, words), 'verbatim');
      finish(0);
    });
}

const HELP = `
Load it in each new shell:
  bash, in ~/.bashrc:
    source <(supervisor completion bash)
  zsh, in ~/.zshrc:
    source <(supervisor completion zsh)
  fish, once:
    supervisor completion fish > ~/.config/fish/completions/supervisor.fish

Ids of runs and names of agents come from the owner that is running. Completion starts no owner.`;

/** One line for each word: the word, a tab, and what it is. `:files` asks the shell for its own files. */
async function offer(
  program: Command,
  context: CliContext,
  words: readonly string[],
): Promise<string> {
  const completion = completeWords(program, words);
  switch (completion.kind) {
    case 'files':
      return ':files\n';
    case 'words':
      return completion.words.map(line).join('');
    case 'live': {
      const { what, prefix } = completion;
      const found = await liveWords(context, what).catch(() => []); // at a prompt, an error is only noise
      const candidates = found.map(({ word, about }) => ({ word: `${prefix}${word}`, about }));
      return startingWith(candidates, words.at(-1) ?? '')
        .map(line)
        .join('');
    }
  }
}

function line({ word, about }: Candidate): string {
  const [first = ''] = printable(about).replaceAll('\t', ' ').split('\n');
  const short = first.length > ABOUT_CHARS_MAX ? `${first.slice(0, ABOUT_CHARS_MAX - 1)}…` : first;
  return `${word}\t${short}\n`;
}
