import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { userHomeFolder } from '../../../host/machine/account-home.ts';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { loadSettings } from '../../../config/load-settings.ts';
import { readTextFile } from '../../../host/files/read-text-file.ts';
import { parseDurationMs, parseSizeBytes } from '../../../settings/quantity.ts';
import { SANDBOX_BACKENDS } from '../../../settings/sandbox-config.ts';
import type { Settings } from '../../../settings/settings.ts';
import { chooseBackend, explainNotTried } from '../../../sandbox/choose-backend.ts';
import type { SandboxFacts, SandboxUser } from '../../../sandbox/sandbox-facts.ts';
import type { Backend, SandboxPolicy } from '../../../sandbox/policy.ts';
import { BACKENDS, offlinePolicy } from '../../../sandbox/policy.ts';
import { PROBES, didHold, runProbes } from '../../../sandbox/probes/run-probes.ts';
import type { ProbeReport } from '../../../sandbox/probes/run-probes.ts';
import { renderMatrix } from '../../../sandbox/render-matrix.ts';
import { runSandboxed } from '../../../sandbox/run-sandboxed.ts';
import type { SandboxResult } from '../../../sandbox/run-sandboxed.ts';
import type { TrustedProject } from '../../../trust/trusted-project.ts';
import { openTrusted, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import { EXIT } from '../../exit-codes.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { stateHome } from '../../connect-owner.ts';
import type { JsonDocument } from '../../../public-json/documents.ts';
import { printJson } from '../../json/print-json.ts';
import { existingFolder, currentProject } from '../../input/project-path.ts';
import { sandboxPorts } from '../../sandbox-ports.ts';
import { collect } from '../../options.ts';

export function addSandbox(program: Command, context: CliContext, finish: CommandEnding): void {
  const sandbox = program
    .command('sandbox')
    .description('Test the sandboxes of this machine, or run a command in one');

  sandbox
    .command('check')
    .description('Test everything that a sandbox must block and everything that it must allow')
    .addOption(new Option('--backend <name>', 'test only this sandbox').choices(BACKENDS))
    .option('--image <name>', 'the image for docker and podman (default: sandbox.image)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExit codes: 0 if every test passed, 1 if one did not.')
    .action(async (options: CheckOptions) => finish(await check(context, options)));

  sandbox
    .command('exec')
    .description('Run a command in a sandbox, without network, that can read the current folder')
    .argument('<command...>', 'the command, after --')
    .addOption(new Option('--backend <name>', 'the sandbox to use').choices(SANDBOX_BACKENDS))
    .option('--image <name>', 'the image for docker and podman (default: sandbox.image)')
    .option('--read <path>', 'make a file or folder readable; repeatable', collect, [])
    .option('--write <path>', 'make a folder writable; repeatable', collect, [])
    .option('-e, --env <name=value>', 'set an environment variable; repeatable', collect, [])
    .option('--memory <size>', 'memory limit, such as 512MB')
    .option('--time <duration>', 'time limit, such as 5m')
    .option('--unsafe-no-sandbox', 'run the command without a sandbox, with all your rights', false)
    .option(...UNTRUSTED_OPTION)
    .addHelpText('after', HELP)
    .action(async (argv: string[], options: ExecOptions) =>
      finish(await exec(context, argv, options)),
    );
}

const HELP = `
The exit code is that of the command, or 1 if it could not be started.

Example:
  supervisor sandbox exec --write . -- npm test`;

type CheckOptions = { readonly backend?: Backend; readonly image?: string; readonly json: boolean };

type ExecOptions = {
  readonly backend?: Settings['sandbox']['backend'];
  readonly image?: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly env: readonly string[];
  readonly memory?: string;
  readonly time?: string;
  readonly unsafeNoSandbox: boolean;
  readonly untrusted: boolean;
};

async function readSettings(
  context: CliContext,
  project: TrustedProject | undefined,
): Promise<Settings['sandbox']> {
  const { settings } = await loadSettings({
    home: stateHome(context).dir,
    ...defined({ project }),
    userDir: userHomeFolder(),
    readFile: readTextFile,
  });
  return settings.sandbox;
}

async function check(
  context: CliContext,
  { backend, image: named, json }: CheckOptions,
): Promise<number> {
  const ports = sandboxPorts(context);
  const image = named ?? (await readSettings(context, undefined)).image;
  const reports: ProbeReport[] = [];
  const skipped: { backend: Backend; why: string }[] = [];
  const all = backend === undefined ? BACKENDS.filter((name) => name !== 'none') : [backend];
  for (const one of all) {
    const why = one === 'none' ? undefined : explainNotTried(one, { image }, ports.facts);
    if (why !== undefined) {
      skipped.push({ backend: one, why });
      continue;
    }
    context.err(paint(context, 'dim', `testing ${one} …\n`));
    // Without a sandbox, only harmless probes run.
    const probes = PROBES.filter(({ unsandboxed }) => one !== 'none' || unsandboxed === 'works');
    const options = { image, tag: ports.tag, unsafe: one === 'none' };
    reports.push(await runProbes(probes, { ...ports, backend: one }, options));
  }
  if (json) printJson(context, checkDocument(reports, skipped));
  else context.out(renderMatrix(reports, skipped, (text, style) => paint(context, style, text)));
  return checkError(reports) === null ? EXIT.ok : EXIT.failed;
}

function checkDocument(
  reports: readonly ProbeReport[],
  skipped: readonly { readonly backend: Backend; readonly why: string }[],
): JsonDocument<'sandbox-check'> {
  return {
    schema: 'supervisor.sandbox-check/1',
    reports: reports.map(({ backend, enforced, failure, hits, secretSeen, rows }) => ({
      backend,
      enforced: enforced === null ? null : { ...enforced },
      failure,
      connections_seen: hits,
      secret_seen: secretSeen,
      probes: rows.map(({ expect, ...row }) => ({ ...row, expected: expect })),
    })),
    skipped: skipped.map(({ backend, why }) => ({ backend, reason: why })),
    error: checkError(reports),
  };
}

function checkError(reports: readonly ProbeReport[]): ErrorFields | null {
  if (reports.length === 0)
    return simpleError(
      'sandbox.unavailable',
      'No sandbox could be tested here.',
      'To see what this machine lacks: supervisor doctor',
    );
  const open = reports.filter((report) => !didHold(report)).map(({ backend }) => backend);
  if (open.length === 0) return null;
  const message = `Not every probe ended as expected in: ${open.join(', ')}.`;
  return simpleError('sandbox.not-proven', message, 'Read the probes with the verdict bad.');
}

async function exec(
  context: CliContext,
  argv: readonly string[],
  options: ExecOptions,
): Promise<number> {
  const settings = await readSettings(
    context,
    await openTrusted(context, currentProject(context), options),
  );
  const image = options.image ?? settings.image;
  const { unsafeNoSandbox: unsafe } = options;
  // A wrong command line is refused on a machine without a sandbox, too.
  const policy = execPolicy(context, options, settings, image);
  const ports = sandboxPorts(context);
  const request = { backend: options.backend ?? settings.backend, image, unsafe };
  const { backend } = await chooseBackend(request, ports);
  const interrupted = new AbortController();
  const release = context.onInterrupt(() => interrupted.abort());
  try {
    const result = await runSandboxed(
      policy,
      { argv },
      { ...ports, backend, ...userFor(context, ports.facts) },
      {
        tag: `${ports.tag}/exec`,
        onStdout: (chunk) => context.out(Buffer.from(chunk).toString(), 'verbatim'),
        onStderr: (chunk) => context.err(Buffer.from(chunk).toString(), 'verbatim'),
      },
      interrupted.signal,
    );
    return reportEnd(context, result);
  } finally {
    release();
  }
}

function execPolicy(
  context: CliContext,
  options: ExecOptions,
  settings: Settings['sandbox'],
  image: string | null,
): SandboxPolicy {
  const real = (path: string): string => existingPath(context, path);
  const cwd = existingFolder(context, '.', 'cwd');
  const write = options.write.map(real);
  const covered = write.some((path) => cwd === path || cwd.startsWith(`${path}/`));
  const { memoryBytes, cpus, pids, diskBytes, tmpBytes, pull, mounts } = settings;
  const limits = {
    memoryBytes: quantity(options.memory, parseSizeBytes, '--memory') ?? memoryBytes,
    cpus,
    pids,
    diskBytes,
    tmpBytes,
    timeMs: quantity(options.time, parseDurationMs, '--time') ?? null,
  };
  const env = Object.fromEntries(
    options.env.map((given) => {
      const at = given.indexOf('=');
      return at < 0 ? [given, context.env[given] ?? ''] : [given.slice(0, at), given.slice(at + 1)];
    }),
  );
  return {
    ...offlinePolicy(`exec/${context.pid}`, cwd, limits),
    read: [...(covered ? [] : [cwd]), ...options.read.map(real)],
    write,
    mounts,
    env,
    image,
    pull,
    unsafe: options.unsafeNoSandbox,
  };
}

function existingPath(context: CliContext, path: string): string {
  try {
    return realpathSync(resolve(context.cwd, path));
  } catch (error) {
    throw new Refusal(
      {
        code: 'usage.invalid',
        message: `There is no file or folder ${resolve(context.cwd, path)}.`,
        hint: 'Name an existing one with --read or --write.',
      },
      { cause: error },
    );
  }
}

/** Root runs the command as the owner of this folder, because another user may not be able to enter it. */
function userFor({ cwd }: CliContext, { uid }: SandboxFacts): { readonly user?: SandboxUser } {
  const owner = statSync(cwd);
  return uid === 0 && owner.uid !== 0 ? { user: { uid: owner.uid, gid: owner.gid } } : {};
}

function quantity(
  written: string | undefined,
  parse: (text: string) => number | undefined,
  flag: string,
): number | undefined {
  if (written === undefined) return undefined;
  const value = parse(written);
  if (value === undefined || value === 0)
    throw new Refusal({
      code: 'usage.invalid',
      message: `Invalid value for ${flag}: ${written}.`,
      hint: 'Use a value such as 512MB for --memory, or 5m for --time.',
    });
  return value;
}

function reportEnd(context: CliContext, { exit, oom, endedBy, backend }: SandboxResult): number {
  const report = (what: string): void =>
    context.err(`${paint(context, 'yellow', backend)}: ${what}\n`);
  if (oom === true) report('a process was killed because it reached the memory limit');
  if (endedBy === 'time-limit') report('killed because it reached the time limit');
  if (endedBy === 'disk-limit') report('killed because its folders reached the disk limit');
  if (endedBy === 'disk-full') report('killed because the disk of this machine is nearly full');
  switch (exit.kind) {
    case 'code':
      return exit.code;
    case 'signal':
      return EXIT.interrupted;
    case 'not-started':
      report(exit.message);
      return EXIT.failed;
  }
}
