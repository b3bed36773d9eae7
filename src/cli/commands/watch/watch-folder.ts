import { resolve } from 'node:path';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { isoTime } from '../../../base/clock.ts';
import type {
  PinnedSteering,
  SteeringMode,
} from '../../../protocol/contracts/steering-contract.ts';
import type { WatchedRow } from '../../../public-json/hook-documents.ts';
import type { WatchedFact } from '../../../shared-folder/folder-watcher.ts';
import { FolderWatcher } from '../../../shared-folder/folder-watcher.ts';
import type { CliContext } from '../../cli-context.ts';
import { printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { EXIT } from '../../exit-codes.ts';
import { ownSettings } from '../../input/own-settings.ts';
import { printJson } from '../../json/print-json.ts';
import { timeLimit } from '../../options.ts';

type Options = {
  readonly once: boolean;
  readonly every?: number;
  readonly mode?: SteeringMode;
  readonly json: boolean;
};

/** Needs no owner: the folder is the channel. */
export function addWatch(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('watch')
    .description(
      'Watch the reports of agents elsewhere in a shared folder, and write messages to them',
    )
    .argument('<folder>', 'a folder with active.json, roles and reports')
    .option('--once', 'read the reports once, and end', false)
    .option(
      '--every <time>',
      'how often to look (default: the heartbeat of the organization)',
      timeLimit,
    )
    .option(
      '--mode <mode>',
      'off, shadow or steer (default: your setting steering.mode)',
      steeringMode,
    )
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', HELP)
    .action(async (folder: string, options: Options) => {
      await watch(context, resolve(context.cwd, folder), options);
      finish(EXIT.ok);
    });
}

const HELP = `
In the mode shadow nothing is written but assessments. In the mode steer, one message per report goes to
steering/<role>/<number>.json in the folder. Ctrl-C ends the watch.

Examples:
  supervisor watch /mnt/team --mode steer
  supervisor watch .supervisor/organization --once --json`;

const MODES = ['off', 'shadow', 'steer'] as const satisfies readonly SteeringMode[];

function steeringMode(text: string): SteeringMode {
  const mode = MODES.find((one) => one === text);
  if (mode !== undefined) return mode;
  throw new InvalidArgumentError(`Use one of ${MODES.join(', ')}.`);
}

async function watch(context: CliContext, folder: string, options: Options): Promise<void> {
  const { steering } = await ownSettings(context);
  const watcher = await FolderWatcher.open(folder, withMode(steering, options.mode));
  const left = new AbortController();
  const leave = (): void => left.abort();
  const forget = [context.onInterrupt(leave), context.onReaderGone(leave)];
  try {
    for (;;) {
      for (const fact of await watcher.look(context.clock.now())) show(context, fact, options.json);
      if (options.once) return;
      const isOver = !(await context.clock.sleep(
        options.every ?? watcher.heartbeatMs,
        left.signal,
      ));
      if (isOver) return;
    }
  } finally {
    for (const one of forget) one();
  }
}

/** The mode of the command counts for every detector. There are no numbers of agents elsewhere, so `auto` only watches. */
function withMode(steering: PinnedSteering, mode: SteeringMode | undefined): PinnedSteering {
  if (mode !== undefined) return { ...steering, mode, modes: {}, overrides: [] };
  const parts = [steering, ...steering.overrides];
  const isAuto = parts.some(
    (one) => one.mode === 'auto' || Object.values(one.modes).includes('auto'),
  );
  return isAuto ? { ...steering, mode: 'shadow', modes: {}, overrides: [] } : steering;
}

function show(context: CliContext, fact: WatchedFact, json: boolean): void {
  if (json) printJson(context, document(context, fact));
  else context.out(`${printable(describe(fact))}\n`);
}

function describe(fact: WatchedFact): string {
  switch (fact.kind) {
    case 'report':
      return `${fact.role}: ${fact.state}, ${fact.level} plan, ${fact.health}`;
    case 'anomaly': {
      const { role, detector, words, decision, message } = fact;
      const told = message === null ? decision : `message ${message}`;
      return `${role}: ${detector} (${told}): ${words}`;
    }
    case 'refused':
      return `${fact.file} is refused: ${fact.why}`;
  }
}

function document(context: CliContext, fact: WatchedFact): WatchedRow {
  const none = {
    ...({ schema: 'supervisor.watched/1', at: isoTime(context.clock.now()) } as const),
    ...{ role: null, state: null, pace_level: null, health: null, detector: null },
    ...{ decision: null, message: null, file: null, detail: null },
  };
  switch (fact.kind) {
    case 'report': {
      const { kind, role, state, level, health } = fact;
      return { ...none, kind, role, state, pace_level: level, health };
    }
    case 'anomaly': {
      const { kind, role, detector, decision, message, words } = fact;
      return { ...none, kind, role, detector, decision, message, detail: words };
    }
    case 'refused':
      return { ...none, kind: fact.kind, file: fact.file, detail: fact.why };
  }
}
