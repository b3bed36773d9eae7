/**
 * The lists of the documents equal those of the code: layers, events, commands, exit codes, tests,
 * and quoted words.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SCRIPTED_BEHAVIOURS } from '../../src/adapters/scripted/scripted-programs.ts';
import type { Command } from 'commander';
import { RUN_STATES } from '../../src/protocol/views/run-status.ts';
import { RunResult } from '../../src/public-json/run-result.ts';
import type { CliContext } from '../../src/cli/cli-context.ts';
import { createProgram } from '../../src/cli/command-line.ts';
import { EXIT, exitCodeOf } from '../../src/cli/exit-codes.ts';
import type { EventType } from '../../src/protocol/event.ts';
import { RunOutcome } from '../../src/protocol/outcome.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';
import { checkout, codeSpans, documents, section, tableRows } from './markdown.ts';
import type { Document } from './markdown.ts';

const all = documents();

function document(path: string): Document {
  return all.find((one) => one.path === path) ?? assert.fail(`there is no ${path}`);
}

function source(path: string): string {
  return readFileSync(join(checkout, path), 'utf8');
}

describe('ARCHITECTURE.md', () => {
  const page = document('ARCHITECTURE.md');
  const rows = tableRows(section(page, 'Rooms and layers'));
  const walls = source('test/architecture.test.ts');

  /** The text of a table of the architecture test, which is a test and must not be imported. */
  function literal(name: string): string {
    const found = new RegExp(`^const ${name}\\b.*?[{[]\\n(.*?)^[}\\]]`, 'ms').exec(walls);
    return found?.[1] ?? assert.fail(`test/architecture.test.ts has no ${name}`);
  }

  test('has the layers of the architecture test', () => {
    const coded = [...literal('LAYERS').matchAll(/^ {2}'?([\w/-]+)'?: (\d+),/gm)];
    assert.deepEqual(
      rows.filter((row) => row.length === 3).map(([room, layer]) => [room, layer]),
      coded.map(([, room, layer]) => [room, layer]),
    );
  });

  test('has its owners of packages, and its folders that may touch the machine', () => {
    const owners = [...literal('OWNERS').matchAll(/^ {2}'?([@\w/-]+)'?: \[(.*?)\],/gm)];
    const machine = [...literal('MACHINE').matchAll(/^ {2}'([\w/-]+)',/gm)];
    const pairs = rows.filter((row) => row.length === 2);
    assert.deepEqual(
      pairs.slice(0, owners.length),
      owners.map(([, name, rooms = '']) => [name, rooms.replaceAll("'", '')]),
    );
    assert.deepEqual(
      pairs.slice(owners.length).map(([folder]) => folder),
      machine.map(([, folder]) => folder),
    );
  });

  test('names tests that exist, or says that an invariant is not held yet', () => {
    const invariants = tableRows(section(page, 'Invariants'));
    assert.deepEqual(
      invariants.map(([number]) => Number(number)),
      Array.from({ length: 16 }, (_, index) => index + 1),
    );
    for (const [number, , held = ''] of invariants) {
      const named = [...held.matchAll(/((?:src|test)\/\S+\.ts) "(.*?)"/g)];
      assert.ok(named.length > 0 || /not held yet/i.test(held), `invariant ${number}`);
      for (const [, path = '', words = ''] of named)
        assert.ok(source(path).includes(words), `${path} has no "${words}"`);
    }
  });
});

describe('the page about the journal', () => {
  const page = document('docs/internals/journal.md');

  test('has the events of the protocol', () => {
    // The compiler checks that none is missing and none is extra.
    const types: Record<EventType, true> = {
      'run.submitted': true,
      'run.forked': true,
      'command.begun': true,
      'command.noted': true,
      'command.cancelled': true,
      'command.ended': true,
      'signal.received': true,
      'run.ended': true,
      'owner.started': true,
      'owner.stopped': true,
      'apply.begun': true,
      'apply.ended': true,
      'apply.committed': true,
      'work.merged': true,
      'work.rolled-back': true,
      'undo.begun': true,
      'undo.ended': true,
      'prune.begun': true,
      'prune.ended': true,
      'cooldown.set': true,
      'cooldown.cleared': true,
      'breaker.failed': true,
      'breaker.probed': true,
      'breaker.closed': true,
      'schedule.added': true,
      'schedule.removed': true,
      'schedule.begun': true,
      'schedule.started': true,
      'schedule.refused': true,
      'schedule.skipped': true,
      'notification.begun': true,
      'notification.ended': true,
      'tree.snapshot': true,
      'tree.restarting': true,
      'monitor.noted': true,
      'monitor.snapshot': true,
    };
    const listed = tableRows(section(page, 'Events')).map(([type]) => type);
    assert.deepEqual(listed, Object.keys(types));
  });
});

describe('the guide to running', () => {
  const page = document('docs/guide/running.md');

  test('has the commands of --help, in its order', { timeout: 300_000 }, async () => {
    await using harness = await CliHarness.create();
    const { stdout } = await harness.run(['--help']);
    const [, listed = ''] = stdout.split('\nGet started:\n');
    const [commands = ''] = listed.split('\nExamples, ');
    const names = [...commands.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name);
    assert.ok(names.length > 40);
    assert.deepEqual(
      tableRows(section(page, 'Commands')).map(([name]) => name),
      names,
    );
  });
});

describe('the guide to agents', () => {
  test('has every scripted agent, with what it does', () => {
    const rows = tableRows(section(document('docs/guide/agents.md'), 'Scripted agents'));
    const all = Object.entries(SCRIPTED_BEHAVIOURS).map(([name, does]) => [
      `scripted:${name}`,
      does,
    ]);
    assert.deepEqual(rows, all);
  });
});

describe('the guide to retrying a command', () => {
  test('names every command that accepts an idempotency key', async () => {
    const context = { version: '0', terminal: { width: 80 } } as unknown as CliContext;
    const program = await createProgram([], context, () => {});
    const text = section(document('docs/guide/running.md'), 'Retrying a command');
    const [, list = ''] = /\n\n([^\n]*(?:\n[^\n]+)*?) accept\s`--idempotency-key`/.exec(text) ?? [];
    assert.deepEqual(codeSpans(list).toSorted(), withKey(program, []).toSorted());
  });
});

/** The full names of the commands that have the option, without those that are hidden. */
function withKey({ commands }: Command, above: readonly string[]): readonly string[] {
  return commands.flatMap((command) => {
    const names = [...above, command.name()];
    const has = command.options.some(({ long }) => long === '--idempotency-key');
    return [...(has ? [names.join(' ')] : []), ...withKey(command, names)];
  });
}

describe('docs/guide/automation.md', () => {
  const page = document('docs/guide/automation.md');

  test('has every state of a run', () => {
    const states = tableRows(section(page, 'One scheme')).flatMap(([cell = '']) =>
      cell.split(', '),
    );
    assert.deepEqual(states.toSorted(), [...RUN_STATES].toSorted());
  });

  test('has every field of the result of a run', () => {
    const rows = tableRows(section(page, 'The result of a run'));
    const fields = rows.flatMap(([cell = '']) => cell.split(', '));
    const all = Object.keys(RunResult.shape).filter((name) => name !== 'schema');
    assert.deepEqual(fields.toSorted(), all.toSorted());
  });

  test('has every exit code', () => {
    const kinds = RunOutcome.shape.kind.options;
    const codes = {
      ...EXIT,
      ...Object.fromEntries(kinds.map((kind) => [kind, exitCodeOf({ kind, reason: '' })])),
    };
    const listed = tableRows(section(page, 'Exit codes')).map(([code, name = '']) => [
      name,
      Number(code),
    ]);
    assert.deepEqual(Object.fromEntries(listed), codes);
  });
});

describe('README.md', () => {
  test('quotes words that the product has', () => {
    const quotes = codeSpans(section(document('README.md'), 'When something dies')).filter(
      (span) => span.includes(' ') && !/^(--|supervisor )/.test(span),
    );
    assert.ok(quotes.length >= 5);
    const shapes = sources('src').map((path) => shape(source(path)));
    const missing = quotes.filter((quote) => !shapes.some((text) => text.includes(shape(quote))));
    assert.deepEqual(missing, []);
  });
});

function sources(folder: string): readonly string[] {
  return readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

/** Words without values: numbers, keys, names. */
function shape(text: string): string {
  return text
    .replaceAll(/\$\{plural\([^,]*, '([^']*)'\)\}/g, '# $1s')
    .replaceAll(/\$\{[^}]*\}/g, '#')
    .replaceAll(/\battempt-\d+/g, '#')
    .replaceAll(/\d+/g, '#');
}

test('decisions are numbered without a gap, and the title of each has the number of its file', () => {
  const decisions = all.filter(({ path }) => path.startsWith('docs/adr/'));
  assert.deepEqual(
    decisions.map(({ path, text }) => [path.slice('docs/adr/'.length).slice(0, 4), numberIn(text)]),
    decisions.map((_, index) => [String(index + 1).padStart(4, '0'), index + 1]),
  );
});

function numberIn(text: string): number {
  return Number(/^# (\d+)\. /.exec(text)?.[1]);
}
