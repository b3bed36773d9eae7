import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { formatTime } from '../../../base/format-time.ts';
import { shellWord } from '../../../base/shell-words.ts';
import { Refusal } from '../../../base/errors.ts';
import { listTrust, removeTrust, writeTrust } from '../../../trust/trust-store.ts';
import { readTrustState } from '../../../trust/trusted-project.ts';
import { checkBeforeTrust } from '../../ask/check-before-trust.ts';
import { findChanges, canAsk, showTrustState } from '../../ask/ask-trust.ts';
import { EXIT } from '../../exit-codes.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { stateHome } from '../../connect-owner.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { printJson } from '../../json/print-json.ts';
import { projectDir } from '../../input/project-path.ts';
import { requireYesAtTerminal } from '../../ask/confirm.ts';

type Options = {
  readonly hash?: string;
  readonly show: boolean;
  readonly list: boolean;
  readonly revoke: boolean;
  readonly json: boolean;
};

/** Needs no owner: it only writes to the user's home. */
export function addTrust(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('trust')
    .description("Trust a project's .supervisor folder in its current state")
    .argument('[path]', 'the project folder (default: the project of the current folder)')
    .option('--hash <hash>', 'trust without asking, if the files have exactly this hash')
    .option('--show', 'show what is not trusted yet, without trusting it', false)
    .option('--list', 'list the trusted projects', false)
    .option('--revoke', 'stop trusting the project', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (path: string | undefined, options: Options) =>
      finish(await trust(context, path, options)),
    );
}

const HELP = `
Supervisor uses a project's .supervisor folder only after you trusted it: its settings, roles, templates, strategies
and scripts. Trust covers the content of every file there. After any change you are asked again, also if an agent made
the change and you applied it. Without a terminal, review the files with --show and trust exactly these with --hash.
Settings that no run could use are not trusted: the refusal names file, line and key.
Exit codes: 0 trusted, 2 usage error or unreadable files, 3 not trusted.

Examples:
  supervisor trust
  supervisor trust ~/shop --show
  supervisor trust --list --json
  supervisor trust ~/shop --revoke`;

function trust(context: CliContext, path: string | undefined, options: Options): Promise<number> {
  const chosen = [options.list, options.revoke, options.show, options.hash !== undefined];
  if (chosen.filter(Boolean).length > 1)
    throw new Refusal({
      code: 'usage.invalid',
      message: '--list, --revoke, --show and --hash cannot be used together.',
    });
  if (options.list) return list(context, options);
  // A project that is gone can still be revoked.
  if (options.revoke && path !== undefined)
    return revoke(context, resolve(context.cwd, path), options);
  const project = projectDir(context, path, 'argument');
  return options.revoke ? revoke(context, project, options) : decide(context, project, options);
}

const TRUST = { schema: 'supervisor.trust/1', changes: null, error: null } as const;

async function list(context: CliContext, { json }: Options): Promise<number> {
  const records = await listTrust(stateHome(context).dir);
  if (json) {
    const projects = records.map(({ project, hash, trustedAt, entries }) => ({
      project,
      hash,
      trusted_at: new Date(trustedAt).toISOString(),
      files: entries.filter(({ kind }) => kind === 'file').length,
    }));
    printJson(context, { schema: 'supervisor.trusted/1', projects });
    return EXIT.ok;
  }
  if (records.length === 0) context.out('No project is trusted.\n');
  for (const { project, hash, trustedAt } of records)
    context.out(
      `${printable(project)} ${paint(context, 'dim', `${hash.slice(0, 12)} trusted ${formatTime(trustedAt, context.clock.now())}`)}\n`,
    );
  return EXIT.ok;
}

async function revoke(context: CliContext, project: string, { json }: Options): Promise<number> {
  const home = stateHome(context).dir;
  const real = resolveProject(project);
  const wasTrusted = await removeTrust(home, real);
  const state = wasTrusted ? 'revoked' : 'not_trusted';
  if (json) printJson(context, { ...TRUST, project: real, state, hash: null });
  else
    context.out(
      `${printable(real)} ${wasTrusted ? 'is no longer trusted.' : 'was not trusted.'}\n`,
    );
  return EXIT.ok;
}

/** Also for a project that is gone. */
function resolveProject(project: string): string {
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
  const report = (kind: 'none' | 'trusted', text: string, hash: string | null): void =>
    options.json
      ? printJson(context, { ...TRUST, project, state: kind, hash })
      : context.out(`${printable(project)} ${text}\n`);
  if (state.kind === 'none') {
    report('none', 'has no .supervisor folder, so there is nothing to trust.', null);
    return EXIT.ok;
  }
  const { hash } = state.folder;
  if (options.hash !== undefined && options.hash !== hash)
    throw new Refusal({
      code: 'project.untrusted',
      message: `The files of ${project} have the hash ${hash}, not ${options.hash}. Nothing was trusted.`,
      hint: `Review them with: supervisor trust ${shellWord(project)} --show`,
    });
  if (state.kind === 'trusted') {
    report('trusted', 'is already trusted.', hash);
    return EXIT.ok;
  }
  const hint = `To trust these files, run: supervisor trust ${shellWord(project)} --hash ${hash}`;
  if (options.hash === undefined) {
    if (options.json && options.show) {
      const changes = (await findChanges(context, state)).map(
        ({ path: file, what, note, lines }) => ({
          path: file,
          change: what,
          note,
          diff: [...lines],
        }),
      );
      const error = simpleError(
        'project.untrusted',
        `${project} is not trusted as it is now.`,
        hint,
      );
      printJson(context, { ...TRUST, project, state: state.kind, hash, changes, error });
      return EXIT.unproven;
    }
    if (!options.show) await checkBeforeTrust(context, project, state.folder);
    await showTrustState(context, state);
    if (options.show) return EXIT.unproven;
  }
  await checkBeforeTrust(context, project, state.folder);
  if (options.hash === undefined) {
    if (!canAsk(context))
      throw new Refusal({
        code: 'project.untrusted',
        message: `${project} was not trusted, because there is no terminal to ask you.`,
        hint,
      });
    const question = 'Trust these files as they are now?';
    await requireYesAtTerminal(context, question, 'Nothing was trusted.');
  }
  await writeTrust(home, project, state.folder, context.clock.now());
  report('trusted', 'is now trusted.', hash);
  return EXIT.ok;
}
