import { plural } from '../base/text.ts';
import type { Finding } from '../protocol/views/diagnosis.ts';
import type { JournalHealth } from '../store/facts-check.ts';
import type { DatabaseHealth } from '../store/postgres/check-database.ts';
import type { MachineFacts } from './machine-facts.ts';
import { asRoot } from './install-commands.ts';
import type { ProbeJudgement } from './judge-answer.ts';

/** Enough for the journal to record why a run can't continue. */
const FREE_BYTES_LEAST = 100_000_000;
/** Enough for the caches of an agent, a few workspaces and their output. */
const FREE_BYTES_ENOUGH = 2_000_000_000;
const ELSEWHERE = 'export SUPERVISOR_HOME=/path/on/a/local/disk';

export function diagnoseState(facts: MachineFacts): readonly Finding[] {
  return [folder(facts), disk(facts), ...journal(facts), ...settings(facts), ...breakers(facts)];
}

/** Only a problem is worth a line. */
function settings({ settingsProblem }: MachineFacts): readonly Finding[] {
  if (settingsProblem === undefined) return [];
  return [
    {
      id: 'settings',
      section: 'state',
      title: 'settings',
      state: 'broken',
      found: null,
      note: settingsProblem,
      gives: 'Your agents, gates and limits: no run starts without them.',
      get: null,
    },
  ];
}

const BREAKERS_NAMED_MAX = 5;

/** Only an open one is worth a line. */
function breakers({ openBreakers = [] }: MachineFacts): readonly Finding[] {
  if (openBreakers.length === 0) return [];
  const named = openBreakers
    .slice(0, BREAKERS_NAMED_MAX)
    .map(({ step, workflow, project }) => `step ${step} of ${workflow} in ${project}`);
  const left = openBreakers.length - named.length;
  const more = left > 0 ? [`${left} more`] : [];
  return [
    {
      id: 'breakers',
      section: 'state',
      title: 'breakers',
      state: 'limited',
      found: `${openBreakers.length} open`,
      note: `not started, because they failed too often: ${[...named, ...more].join('; ')}; see supervisor breakers`,
      gives: 'The steps of workflows: a workflow asks you instead of starting such a step.',
      get: null,
    },
  ];
}

const RUNS_NAMED_MAX = 5;

/** No finding if the journal was not checked or does not exist yet. */
function journal(facts: MachineFacts): readonly Finding[] {
  const { database, state } = facts;
  const file = `${state.path}/journal.db`;
  if (database === undefined)
    return judgeJournal(facts.journal, file, [`cp /path/to/your/copy/journal.db ${quote(file)}`]);
  const { text, journal: health, owner } = database;
  return judgeJournal(health, text, null).map((one) =>
    one.state === 'ok'
      ? { ...one, found: `${one.found ?? ''}, in the ${text}`, note: holder(owner) }
      : one,
  );
}

/** An owner of this home, or of another one that shares the database and keeps this home from working. */
function holder(owner: DatabaseHealth['owner']): string | null {
  return owner === null ? null : `its owner is pid ${owner.pid} on ${owner.host}`;
}

function judgeJournal(
  health: JournalHealth | null,
  where: string,
  get: string[] | null,
): readonly Finding[] {
  if (health === null || health.kind === 'absent') return [];
  const common = {
    id: 'journal',
    section: 'state',
    title: 'journal',
    gives: 'The history of every run.',
  } as const;
  if (health.kind === 'other-version') {
    const found = `schema version ${health.version}`;
    const note = 'not checked, because it belongs to another release';
    return [{ ...common, state: 'limited', found, note, get: null }];
  }
  const { facts, problems, runs } = health;
  const [problem] = problems;
  if (problem !== undefined) {
    const note = get === null ? problem : `damaged: ${problem}`;
    return [{ ...common, state: 'broken', found: where, note, get }];
  }
  if (runs.length > 0) {
    const named = runs.slice(0, RUNS_NAMED_MAX).map(({ run, what }) => `run ${run}, ${what}`);
    const more = runs.length > RUNS_NAMED_MAX ? [`${runs.length - RUNS_NAMED_MAX} more`] : [];
    const note = `damaged: ${[...named, ...more].join('; ')}; other runs are not affected`;
    return [{ ...common, state: 'limited', found: where, note, get }];
  }
  return [
    {
      ...common,
      state: 'ok',
      found: `${plural(facts, 'fact')}, all intact`,
      note: null,
      get: null,
    },
  ];
}

function folder(facts: MachineFacts): Finding {
  const { path, kind, nearest, isWritable, isShared } = facts.state;
  const common = {
    id: 'state-folder',
    section: 'state',
    title: 'folder',
    found: path,
    gives: 'The folder for the journal and the output of all projects.',
  } as const;
  const quoted = quote(nearest);
  if (kind === 'not-a-folder')
    return { ...common, state: 'broken', note: `${nearest} is not a folder`, get: [ELSEWHERE] };
  if (!isWritable) {
    const get = facts.uid === 0 ? [ELSEWHERE] : [asRoot(`chown "$(id -u)" ${quoted}`, facts)];
    return { ...common, state: 'broken', note: `${nearest} is not writable`, get };
  }
  if (facts.state.disk?.isRemote === true) {
    const note = 'on a network file system, SQLite can lose data when two processes write';
    return { ...common, state: 'limited', note, get: [ELSEWHERE] };
  }
  if (kind === 'there' && isShared) {
    const note = 'other users of this machine can read it';
    return { ...common, state: 'limited', note, get: [`chmod 700 ${quoted}`] };
  }
  const note = kind === 'absent' ? 'the first run creates it' : null;
  return { ...common, state: 'ok', note, get: null };
}

function disk({ state }: MachineFacts): Finding {
  return {
    id: 'disk',
    section: 'state',
    title: 'disk',
    ...judgeFree(state.disk?.freeBytes),
    gives: 'Space for workspaces, output and the journal.',
    get: null,
  };
}

function judgeFree(freeBytes: number | undefined): ProbeJudgement {
  if (freeBytes === undefined)
    return { state: 'limited', found: null, note: 'the free space is unknown' };
  const found = `${formatBytes(freeBytes)} free`;
  if (freeBytes < FREE_BYTES_LEAST)
    return { state: 'broken', found, note: `less than ${formatBytes(FREE_BYTES_LEAST)}` };
  if (freeBytes < FREE_BYTES_ENOUGH)
    return { state: 'limited', found, note: `less than ${formatBytes(FREE_BYTES_ENOUGH)}` };
  return { state: 'ok', found, note: null };
}

function formatBytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.floor(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Quotes a path for a shell. */
function quote(path: string): string {
  return /^[\w/.+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
