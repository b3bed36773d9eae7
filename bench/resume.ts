/**
 * How long a run of a million facts takes to resume: from opening the journal until its program decides. The yardstick
 * is the same with a hundred facts, and the rest is what a long history costs.
 */
import { join } from 'node:path';
import { attemptsProgram } from '../src/attempts/attempts-program.ts';
import { at } from '../src/base/clock.ts';
import type { RunId } from '../src/base/ids.ts';
import type { Json } from '../src/base/json.ts';
import { beginFacts } from '../src/engine/embedded/begin-facts.ts';
import type { LoadedRun } from '../src/engine/embedded/load-run.ts';
import { foldEvent, loadRun, snapshotMaker } from '../src/engine/embedded/load-run.ts';
import { EMPTY_LEDGER, firstLedger, freshMoves } from '../src/engine/ledger.ts';
import type { Program } from '../src/engine/program.ts';
import type { NewRunEvent } from '../src/protocol/event.ts';
import { EVENT_VERSION } from '../src/protocol/event.ts';
import { runStream } from '../src/protocol/streams.ts';
import { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts';
import { fakeSubmission } from '../src/testing/fakes/fake-program.ts';
import { workflowProgram } from '../src/workflow/workflow-program.ts';
import { writeLongHistory } from '../test/support/long-history.ts';
import { runEvent } from '../test/support/run-event.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import { definition, gate, role, workflowSubmission } from '../test/support/workflow-fixture.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

const FACTS = Number(process.env['RESUME_FACTS'] ?? 1_000_000);
const FEW_FACTS = 100;
const ROUNDS = 9;
const RUN = '0000000001' as RunId;
const SNAPSHOT_EVERY = 2000;
/** The most facts that may follow the last snapshot. */
const AFTER_SNAPSHOT = SNAPSHOT_EVERY - 1;

export async function figures(): Promise<readonly Figure[]> {
  const attempts = await compare(attemptsProgram, (journal, events) => {
    const afterSnapshot = Math.min(AFTER_SNAPSHOT, events - 1);
    return writeLongHistory(journal, RUN, { events, afterSnapshot });
  });
  const workflow = await compare(workflowProgram, writeLongWorkflow);
  return [figure('resume of a long run', attempts), figure('resume of a long workflow', workflow)];
}

type Comparison = { readonly fewMs: number; readonly manyMs: number };

function figure(name: string, { fewMs, manyMs }: Comparison): Figure {
  return {
    ...{ name, value: manyMs, unit: 'ms', atMost: 300 },
    yardstick: `${FACTS} facts, ${AFTER_SNAPSHOT} of them after the snapshot; ${fewMs.toFixed(0)} ms with ${FEW_FACTS}`,
  };
}

type Write = (journal: SqliteJournal, events: number) => Promise<unknown>;

async function compare(program: Program<Json>, write: Write): Promise<Comparison> {
  await using folder = await tempDir();
  const [few, many] = [join(folder.path, 'few.db'), join(folder.path, 'many.db')];
  for (const [path, events] of [
    [few, FEW_FACTS],
    [many, FACTS],
  ] as const) {
    const journal = SqliteJournal.open(path);
    await write(journal, events);
    await journal.close();
  }
  const [fewMs, manyMs]: [number[], number[]] = [[], []];
  for (let round = -1; round < ROUNDS; round += 1) {
    const [a, b] = [await timeResume(few, program), await timeResume(many, program)];
    if (round < 0) continue;
    fewMs.push(a);
    manyMs.push(b);
  }
  return { fewMs: median(fewMs), manyMs: median(manyMs) };
}

async function timeResume(path: string, program: Program<Json>): Promise<number> {
  const start = performance.now();
  const journal = SqliteJournal.open(path);
  const [open] = await journal.runs({ ended: false, limit: 2 });
  const loaded = await loadRun(journal, program, open?.id ?? '');
  if (loaded === undefined) throw new Error('there is no open run');
  program.next(loaded.state, at(loaded.seq), 0.5);
  const taken = performance.now() - start;
  await journal.close();
  return taken;
}

/** As many steps as a workflow may have. Then a person answers the same question again and again, without a choice. */
const LIMITS = { stepsMax: 500, roundsMax: 50 };
const STEPS = {
  implement: role('coder', 'test'),
  test: gate(['test'], null, { onFail: 'implement', retry: { attemptsMax: 1000 } }),
};

async function writeLongWorkflow(journal: SqliteJournal, events: number): Promise<void> {
  const submission = workflowSubmission(definition(STEPS, { limits: LIMITS }));
  const stream = runStream(RUN);
  const first: NewRunEvent = { type: 'run.submitted', payload: submission };
  await journal.append(stream, 0, [first], at(0));
  let folded: LoadedRun = {
    state: workflowProgram.start(submission),
    ledger: firstLedger(submission),
    seq: 1,
  };
  const seqOfSnapshot = Math.max(1, events - AFTER_SNAPSHOT);
  let batch: NewRunEvent[] = [];
  let { seq } = folded;
  const write = async (): Promise<void> => {
    await journal.append(stream, seq, batch, at(seq));
    seq += batch.length;
    batch = [];
    if (seq !== seqOfSnapshot) return;
    const { state, ledger } = folded;
    const saved = { maker: snapshotMaker(workflowProgram), seq, state: { state, ledger } };
    await journal.saveSnapshot(stream, saved);
  };
  const add = async (fact: NewRunEvent): Promise<void> => {
    const place = { id: folded.seq + 1, stream, seq: folded.seq + 1, v: EVENT_VERSION, at: 0 };
    batch.push(fact);
    folded = foldEvent(workflowProgram, folded, { ...place, ...fact });
    if (batch.length === BATCH || folded.seq === seqOfSnapshot || folded.seq === events)
      await write();
  };
  while (folded.seq < events) {
    const { ledger } = folded;
    const [open] = ledger.open;
    if (open !== undefined) {
      await add(endOf(open.key, open.command));
      continue;
    }
    const [move] = freshMoves(ledger, workflowProgram.next(folded.state as never, at(0), 0.5));
    if (move === undefined || move.kind === 'finish')
      throw new Error(`the workflow ends after ${folded.seq} facts`);
    for (const fact of beginFacts(RUN, move, EMPTY_LEDGER)) await add(fact);
  }
}

const BATCH = 1000;
let works = 0;

/** Each role leaves new work, each gate is red, and no answer is one of the choices. */
function endOf(key: string, command: string): NewRunEvent {
  const result = resultOf(command);
  return runEvent({
    type: 'command.ended',
    payload: { key, command, end: { kind: 'done', result } },
  });
}

function resultOf(command: string): Record<string, Json> {
  const point = { run: RUN, tree: 1, commit: 'c0ffee' };
  switch (command) {
    case 'prepare-step':
      return { kind: 'prepared', submission: fakeSubmission() as unknown as Json };
    case 'run':
      return { run: RUN, outcome: { kind: 'unverified', reason: 'done' } };
    case 'collect-step': {
      works += 1;
      const size = { files: 1, added: 1, deleted: 0, names: ['a.ts'] };
      const base = { ...point, content: 'base' };
      const work = { ...point, ...size, content: `work ${works}` };
      return { answer: { status: 'SUCCESS' }, summary: 'done', work, base, failure: null };
    }
    case 'gate':
      return { kind: 'failed', name: 'test', exit: 1, tail: `red on work ${works}` };
    default:
      return { answer: 'What do you mean?' };
  }
}
