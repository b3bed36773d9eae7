/**
 * Gets a pack with the person's own npm or git, in an empty folder. So no setting of a project decides where it comes
 * from. npm is told to run no scripts, and git checks nothing out. Nothing of the pack is ever run here.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { oneLine, truncate } from '../base/text.ts';
import { integrityOf } from '../host/files/archive-bytes.ts';
import { readFileBytes } from '../host/files/read-text-file.ts';
import { outsideRepository } from '../host/git/outside-repository.ts';
import { ScratchFolder } from '../host/files/scratch-folder.ts';
import { runCommand } from '../host/process/run-command.ts';
import { refusePack } from './pack-error.ts';
import type { PackSource } from './pack-source.ts';
import type { PackTexts } from './read-archive.ts';
import { ARCHIVE_BYTES_MAX, inflate, readArchive } from './read-archive.ts';

export type FetchPorts = {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
  readonly tag: string;
};

export type FetchedPack = {
  readonly texts: PackTexts;
  /** The hash of the archive, or the commit. */
  readonly pinned: string;
};

const DEADLINE_MS = 120_000;
const OUTPUT_BYTES_MAX = 9_000_000;
const PROBLEM_CHARS_MAX = 400;
const FULL_COMMIT = /^[0-9a-f]{40}$/;

export async function fetchPack(ports: FetchPorts, source: PackSource): Promise<FetchedPack> {
  switch (source.kind) {
    case 'npm':
      return fetchFromNpm(ports, source);
    case 'git':
      return fetchFromGit(ports, source);
    case 'file':
      return openTarball(source.path);
  }
}

async function openTarball(path: string): Promise<FetchedPack> {
  const bytes = await readFileBytes(path, ARCHIVE_BYTES_MAX);
  if (bytes === undefined)
    throw refusePack(`There is no file ${path}.`, 'Name the .tgz file of a pack.');
  if (bytes.length > ARCHIVE_BYTES_MAX)
    throw refusePack(`The pack is larger than ${ARCHIVE_BYTES_MAX / 1_000_000} MB.`);
  return { texts: await readArchive(inflate(bytes), 'package'), pinned: integrityOf(bytes) };
}

/** npm compares the archive with the hash that the registry names. */
async function fetchFromNpm(
  ports: FetchPorts,
  { name, version }: Extract<PackSource, { kind: 'npm' }>,
): Promise<FetchedPack> {
  await using scratch = await ScratchFolder.make('supervisor-pack-', 0o700);
  const flags = [
    ...['--ignore-scripts', '--json', '--loglevel=error', '--fetch-retries=1'],
    ...['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000', '--no-update-notifier'],
    `--pack-destination=${scratch.path}`,
  ];
  const argv = ['npm', 'pack', `${name}@${version}`, ...flags];
  const out = await answer(ports, argv, scratch.path, {});
  const [packed] = readList(parseJson(out.toString('utf8')));
  const file = isRecord(packed) ? packed['filename'] : undefined;
  if (typeof file !== 'string' || file.includes('/'))
    throw refusePack(`npm packed nothing for ${name}@${version}.`, 'Look at it with: npm view');
  return await openTarball(join(scratch.path, file));
}

function readList(found: unknown): readonly unknown[] {
  return Array.isArray(found) ? found : isRecord(found) ? Object.values(found) : [];
}

async function fetchFromGit(
  ports: FetchPorts,
  { url, ref }: Extract<PackSource, { kind: 'git' }>,
): Promise<FetchedPack> {
  await using scratch = await ScratchFolder.make('supervisor-pack-', 0o700);
  // A pack is fetched into a repository of its own, also from within a hook of another one.
  const own = { ...ports, env: outsideRepository(ports.env) };
  const git = (...args: readonly string[]): Promise<Buffer> =>
    answer(own, ['git', '-c', 'core.hooksPath=/dev/null', ...args], scratch.path, {
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    });
  await git('init', '--quiet', '--bare', '--template=', '.');
  const quiet = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules'];
  await git('fetch', ...quiet, '--', url, ref);
  const commit = (await git('rev-parse', '--verify', 'FETCH_HEAD^{commit}'))
    .toString('utf8')
    .trim();
  if (FULL_COMMIT.test(ref) && commit !== ref)
    throw refusePack(`${url} answered with the commit ${commit}, not with ${ref}.`);
  const archive = await git('archive', '--format=tar', commit);
  return { texts: await readArchive(archive, ''), pinned: commit };
}

async function answer(
  { clock, env, tag }: FetchPorts,
  argv: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const [program = ''] = argv;
  const bounds = { clock, tag, deadlineMs: DEADLINE_MS, outputBytesMax: OUTPUT_BYTES_MAX };
  const ended = await runCommand({ argv, cwd, env: { ...env, ...more } }, bounds);
  switch (ended.kind) {
    case 'ended':
      if (ended.code === 0) return ended.stdout;
      throw notFetched(`${program}: ${truncate(oneLine(ended.stderr), PROBLEM_CHARS_MAX)}`);
    case 'late':
      throw notFetched(`${program} did not end within ${DEADLINE_MS / 1000} seconds`);
    case 'flooded':
      throw refusePack('The pack is too large.');
    case 'called-off':
      throw notFetched(`${program} was stopped`);
    case 'not-started':
      throw notFetched(`${program} could not be started: ${ended.message}`);
  }
}

function notFetched(why: string): Refusal {
  return new Refusal({
    code: 'pack.unavailable',
    message: `The pack could not be fetched: ${why}`,
    hint: 'Check its name, and whether you can reach its server.',
  });
}
