import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Refusal } from '../../base/errors.ts';
import { listTrust, removeTrust, writeTrust } from '../../trust/trust-store.ts';
import { readTrustState, shellWord } from '../../trust/trusted-project.ts';
import { changesOf, canAsk, showTrustState } from '../ask-trust.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { stateHome } from '../connect-owner.ts';

type Options = {
  readonly hash?: string;
  readonly show: boolean;
  readonly list: boolean;
  readonly revoke: boolean;
  readonly json: boolean;
};

/** Needs no owner: it only writes into the user's own home. */
export function addTrust(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('trust')
    .description("Trust a project's own .supervisor files as they are now")
    .argument('[path]', 'the project', '.')
    .option('--hash <hash>', 'trust without a question, but only files with exactly this hash')
    .option('--show', 'show what is not trusted yet, and trust nothing', false)
    .option('--list', 'list the projects that are trusted', false)
    .option('--revoke', 'take the trust back', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (path: string, options: Options) => finish(await trust(context, path, options)));
}

const HELP = `
A project's .supervisor folder is used only after you trusted it: its settings, roles, templates, strategies and scripts.
Trust is for the content of every file there. Any change, also one that an agent made and you applied, asks again.
Without a terminal, look at it with --show and trust exactly that with --hash.
Exit code: 0 trusted, 1 not trusted, 2 usage or files that can't be read.

Examples:
  supervisor trust
  supervisor trust ~/shop --show
  supervisor trust --list --json
  supervisor trust ~/shop --revoke`;

function trust(context: CliContext, path: string, options: Options): Promise<number> {
  const chosen = [options.list, options.revoke, options.show, options.hash !== undefined];
  if (chosen.filter(Boolean).length > 1)
    throw new Refusal({
      code: 'usage.invalid',
      message: '--list, --revoke, --show and --hash exclude each other.',
    });
  if (options.list) return list(context, options);
  const project = resolve(context.cwd, path);
  return options.revoke ? revoke(context, project, options) : decide(context, project, options);
}

async function list(context: CliContext, { json }: Options): Promise<number> {
  const records = await listTrust(stateHome(context).dir);
  if (json) {
    const all = records.map(({ project, hash, trustedAt, entries }) => ({
      project,
      hash,
      trusted_at: new Date(trustedAt).toISOString(),
      files: entries.filter(({ kind }) => kind === 'file').length,
    }));
    context.out(`${JSON.stringify(all, null, 2)}\n`);
    return EXIT.ok;
  }
  if (records.length === 0) context.out('No project is trusted.\n');
  for (const { project, hash, trustedAt } of records)
    context.out(
      `${printable(project)} ${paint(context, 'dim', `${hash.slice(0, 12)} since ${new Date(trustedAt).toISOString()}`)}\n`,
    );
  return EXIT.ok;
}

async function revoke(context: CliContext, project: string, { json }: Options): Promise<number> {
  const home = stateHome(context).dir;
  const real = realOf(project);
  const was = await removeTrust(home, real);
  if (json) context.out(`${JSON.stringify({ project: real, revoked: was })}\n`);
  else context.out(`${printable(real)} ${was ? 'is no longer trusted.' : 'was not trusted.'}\n`);
  return EXIT.ok;
}

/** Also for a project that is gone. */
function realOf(project: string): string {
  try {
    return realpathSync(project);
  } catch {
    return project;
  }
}

async function decide(context: CliContext, path: string, options: Options): Promise<number> {
  const home = stateHome(context).dir;
  const state = await readTrustState({ home, project: path });
  const { project } = state;
  const tell = (kind: string, words: string, hash: string | null): void =>
    context.out(
      options.json
        ? `${JSON.stringify({ project, state: kind, hash })}\n`
        : `${printable(project)} ${words}\n`,
    );
  if (state.kind === 'none') {
    tell('none', 'has no .supervisor files of its own: there is nothing to trust.', null);
    return EXIT.ok;
  }
  const { hash } = state.folder;
  if (options.hash !== undefined && options.hash !== hash)
    throw new Refusal({
      code: 'project.untrusted',
      message: `The files of ${project} have the hash ${hash}, not ${options.hash}. Nothing was trusted.`,
      hint: `Look at them with: supervisor trust ${shellWord(project)} --show`,
    });
  if (state.kind === 'trusted') {
    tell('trusted', 'is trusted as it is.', hash);
    return EXIT.ok;
  }
  if (options.hash === undefined) {
    if (options.json && options.show) {
      const changes = await changesOf(context, state);
      context.out(`${JSON.stringify({ project, state: state.kind, hash, changes }, null, 2)}\n`);
      return EXIT.failed;
    }
    await showTrustState(context, state);
    if (options.show) return EXIT.failed;
    if (!canAsk(context))
      throw new Refusal({
        code: 'project.untrusted',
        message: `There is no terminal to ask at, so ${project} was not trusted.`,
        hint: `If that is what you want, type: supervisor trust ${shellWord(project)} --hash ${hash}`,
      });
    if (!(await confirmed())) {
      context.err('Nothing was trusted.\n');
      return EXIT.failed;
    }
  }
  await writeTrust(home, project, state.folder, context.clock.now());
  tell('trusted', 'is trusted now.', hash);
  return EXIT.ok;
}

async function confirmed(): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  const answer = await confirm({
    message: 'Trust these files as they are now?',
    initialValue: false,
    output: process.stderr,
  });
  return answer === true;
}
