/**
 * Known bugs, planted into the real code as it is loaded. A simulation that does not find them
 * would not find others either. Each names the exact text that it breaks, so a stale one fails a
 * test.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Plant } from './plant.ts';
import { TREE_PLANTS } from './tree-plants.ts';

export const PLANTS: readonly Plant[] = [
  {
    says: 'performs before `begun` is durable',
    file: 'engine/embedded/run-driver.ts',
    find: `      const born = await this.#ports.children.begin({ parent: this.run, depth, facts }, (others) =>
        this.#write([...before, ...facts], now, others),
      );
      if (admitted.length === 0) return this.#rest(decided);`,
    replace: `      const born = new Set(depth < 0 ? [] : []);
      for (const move of admitted) this.#carryOut(move, born);
      await this.#write([...before, ...facts], now);
      if (admitted.length > 0) continue;
      if (admitted.length === 0) return this.#rest(decided);`,
  },
  {
    says: 'resumes a run without recording the interruptions',
    file: 'engine/embedded/run-driver.ts',
    find: `...interrupted.map((one) => endedFact(one, { kind: 'interrupted' })),`,
    replace: `...interrupted.slice(1).map((one) => endedFact(one, { kind: 'interrupted' })),`,
  },
  {
    says: 'repeats an interrupted attempt although the user has stopped the run',
    file: 'attempts/attempts-program.ts',
    find: `if (stop === null) return undefined;`,
    replace: `if (stop === null || state.attempt !== null) return undefined;`,
  },
  {
    says: "starts an attempt although a gate can't run on the base",
    file: 'attempts/gates/baseline-stage.ts',
    find: `  if (reason !== undefined) return { kind: 'end', outcome: { kind: 'refused', reason } };
`,
    replace: ``,
  },
  {
    says: 'runs a red gate again although no file has changed',
    file: 'attempts/gates/known-red.ts',
    find: `if (content === null) return undefined;`,
    replace: `if (content === null || number > 1) return undefined;`,
  },
  {
    says: 'never releases a slot of a limit',
    file: 'engine/embedded/run-slots.ts',
    find: `    this.#pool.ended(slots.filter((limit) => !this.#runSlots.has(limit)));`,
    replace: ``,
  },
  {
    says: 'forgets in a snapshot which keys were used',
    file: 'engine/embedded/run-record.ts',
    find: `const saved = { maker, seq, state: { state, ledger } };`,
    replace: `const saved = { maker, seq, state: { state, ledger: { ...ledger, known: {} } } };`,
  },
  {
    says: 'drops the last fact of a batch',
    file: 'store/memory/memory-journal.ts',
    find: `    const result = lines.map(parse);
    this.#disk.events.push(...lines);
    for (const event of result) this.#index(event);`,
    replace: `    const result = lines.map(parse);
    const kept = Math.max(1, lines.length - 1);
    this.#disk.events.push(...lines.slice(0, kept));
    for (const event of result.slice(0, kept)) this.#index(event);`,
  },
  {
    says: 'acknowledges a fact that is not synced (`synchronous = OFF`)',
    file: 'store/memory/memory-journal.ts',
    find: `      this.#disk.sync();
`,
    replace: ``,
  },
  {
    says: 'starts a wait over when its owner is replaced',
    file: 'engine/embedded/run-driver.ts',
    find: `if (until !== null) this.#sleep(key, until);`,
    replace: `if (until !== null) this.#sleep(key, Math.max(until, this.#ports.clock.now() + 60_000));`,
  },
  {
    says: 'writes the end of a wait that was skipped a second time',
    file: 'engine/embedded/run-driver.ts',
    find: `      const open = this.#findOpen(key);
      if (open === undefined) return;`,
    replace: `      const open = this.#findOpen(key) ?? { key, command: 'wait', limits: [] };
      if (this.#record.folded.ledger.ended) return;`,
  },
  {
    says: 'skips a fact for a follower at the end of a page',
    file: 'store/follow.ts',
    find: `if (events.length < PAGE) await wakeUp.signalled();`,
    replace: `if (events.length < PAGE) await wakeUp.signalled(); else after += 1;`,
  },
  {
    says: 'does not kill what was asked to stop before',
    file: 'engine/ledger.ts',
    find: `if (target === undefined || target.cancelled === 'kill') return false;`,
    replace: `if (target === undefined || target.cancelled !== null) return false;`,
  },
  {
    says: 'forgets the starts of the last owner, and so exceeds a rate',
    file: 'engine/embedded/embedded-engine.ts',
    find: `await restoreRateLimits(engine.#limits, options);`,
    replace: ``,
  },
  {
    says: 'acknowledges a signal that is not written',
    file: 'engine/embedded/run-driver.ts',
    find: `if (isRefusal(error, 'store.full')) return error; // a person waits for the response`,
    replace: `if (isRefusal(error, 'store.full')) return 'taken';`,
  },
  {
    says: 'reads a snapshot as if it were one fact older than it is',
    file: 'engine/embedded/load-run.ts',
    find: `seq: snapshot.seq };`,
    replace: `seq: snapshot.seq - 1 };`,
  },
  {
    says: 'repeats an interrupted attempt once more than allowed',
    file: 'attempts/decide.ts',
    find: `if (interruptions > settings.interruptionsMax || (settings.once === true && interrupted !== null))`,
    replace: `if (interruptions > settings.interruptionsMax + 1 || (settings.once === true && interrupted !== null))`,
  },
  {
    says: 'tries another agent although the user has stopped the run',
    file: 'attempts/attempts-program.ts',
    find: `if (stopped !== undefined) return [finalizeOrFinish(state, stopped)];`,
    replace: `if (stopped !== undefined && state.past.at(-1)?.kind !== 'failed')
      return [finalizeOrFinish(state, stopped)];`,
  },
  {
    says: 'forgets one cooldown of those that a snapshot has',
    file: 'limits/keyed-projection.ts',
    find: `write: (state) => [...state.values()],`,
    replace: `write: (state) => [...state.values()].slice(1),`,
  },
  {
    says: 'tries a limited agent again at once',
    file: 'attempts/choice/find-cooldown.ts',
    find: `return cooldowns.filter(({ until }) => until > now).toSorted(`,
    replace: `return cooldowns.filter(({ until }) => until > now + 3_600_000).toSorted(`,
  },
  {
    says: 'forgets the number of attempts when its owner dies',
    file: 'attempts/attempts-left.ts',
    find: `return counts.attempt - free < policyOf(state).attemptsMax;`,
    replace: `return past.length - free < policyOf(state).attemptsMax;`,
  },
  {
    says: 'treats a gate that could not run as green',
    file: 'attempts/gates/gate-ended.ts',
    find: `if (outcome.kind === 'passed') return`,
    replace: `if (outcome.kind !== 'failed') return`,
  },
  {
    says: 'continues with a spent budget without asking',
    file: 'attempts/decide.ts',
    find: `if (isAboutMoney(failure.reason)) return afterBudget(state, last, now);`,
    replace: `if (isAboutMoney(failure.reason)) return switchAgent(state, agent, now);`,
  },
  {
    says: 'tries an agent again that has failed',
    file: 'attempts/choice/agent-history.ts',
    find: `return last !== undefined && last.failure?.coolsDown !== true;`,
    replace: `return last !== undefined && last.kind !== 'failed';`,
  },
  {
    says: 'begins something although the run is paused',
    file: 'engine/ledger.ts',
    find: `if (ledger.paused && move.kind !== 'cancel' && move.kind !== 'ask') return false;`,
    replace: `if (ledger.paused && move.kind === 'finish') return false;`,
  },
  {
    says: 'stays paused although the user has stopped the run',
    file: 'engine/ledger.ts',
    find: `return endsPause(signal) ?`,
    replace: `return signal.kind === 'unpause' ?`,
  },
  {
    says: 'begins an attempt although the setup failed',
    file: 'attempts/gates/setup-stage.ts',
    find: `return end === undefined ? { kind: 'ready', key } : { kind: 'end', outcome: end };`,
    replace: `return end === undefined || stop === null ? { kind: 'ready', key } : { kind: 'end', outcome: end };`,
  },
  {
    says: 'repeats an interrupted setup or baseline once more than allowed',
    file: 'attempts/gates/stage-move.ts',
    find: `if (interruptions <= interruptionsMax) return undefined;`,
    replace: `if (interruptions <= interruptionsMax + 1) return undefined;`,
  },
  {
    says: 'treats a check that could not run as a kept commitment',
    file: 'agents/verify.ts',
    find: `return { kind: 'unable', why: outcome.why };`,
    replace: `return { kind: 'exited', code: 0, tail: '' };`,
  },
  {
    says: 'forgets what an agent was told when its life fails',
    file: 'agents/transitions.ts',
    find: `    phase: { kind: 'turn', news: pendingNews(state.phase) },
    turn: {`,
    replace: `    phase: { kind: 'turn', news: null },
    turn: {`,
  },
  {
    says: 'delivers a message twice',
    file: 'agents/fold-agent.ts',
    find: `const unread = inbox.slice(deliveredMessages(inbox).length);`,
    replace: `const unread = inbox.slice(deliveredMessages(inbox).length - 1);`,
  },
  {
    says: 'misses that an agent is dismissed while it is down',
    file: 'agents/fold-signals.ts',
    find: "return dismissAgent(state, { kind: 'cancelled', reason: `dismissed: ${signal.because}` });",
    replace:
      "return isAgentAlive(state) ? dismissAgent(state, { kind: 'cancelled', reason: `dismissed: ${signal.because}` }) : state;",
  },
  {
    says: 'forgets the restarts of an agent when its owner dies',
    file: 'owner/agents/supervisor-map.ts',
    find: `history: treeJournal.restartHistory(fullPath),`,
    replace: `history: { restarts: [], children: {} },`,
  },
  {
    says: 'resumes an exhausted agent as if it were healthy',
    file: 'owner/agents/agent-child.ts',
    find: `  if (isFromEarlierOwner && record.isExhausted && !restartRequested) return { kind: 'ignored' };
  if (isFromEarlierOwner &&`,
    replace: `  if (isFromEarlierOwner && !record.isExhausted &&`,
  },
  {
    says: 'does not dismiss the children of an ended agent',
    file: 'owner/agents/agents-supervisor.ts',
    find: `for (const child of children.toReversed())`,
    replace: `for (const child of children.slice(1).toReversed())`,
  },
  {
    says: 'gives the same budget to two children',
    file: 'owner/agents/delegated-budgets.ts',
    find: `    { ...delegatedBy(run, agents), wallMs: 0 },
`,
    replace: ``,
  },
  {
    says: 'asks a person the same question again',
    file: 'agents/escalate.ts',
    find: `if (decision.kind === 'counted' || state.issues.open.length >= ISSUES_MAX) return counted;`,
    replace: `if (state.issues.open.length >= ISSUES_MAX) return counted;`,
  },
  ...TREE_PLANTS,
];

/**
 * The worlds in which the bug can be found: those with trees, those with long-lived agents, or the
 * others.
 */
export function whereToSeek(plant: Plant): 'trees' | 'agents' | 'runs' {
  if (TREE_PLANTS.includes(plant)) return 'trees';
  const { file } = plant;
  return file.startsWith('agents/') || file.startsWith('owner/agents/') ? 'agents' : 'runs';
}

const src = new URL('../../src/', import.meta.url);

/** The plant's file with the bug in it. Throws unless its text occurs exactly once. */
export function planted({ file, find, replace }: Plant): string {
  const parts = readFileSync(fileURLToPath(new URL(file, src)), 'utf8').split(find);
  if (parts.length !== 2) {
    const times = parts.length - 1;
    throw new Error(
      `src/${file} has ${times} places to plant, not one: ${find.trim().split('\n')[0]}`,
    );
  }
  return parts.join(replace);
}

/** Loads the file with the bug from now on. Call it before the first import of the product. */
export function plant(bug: Plant): void {
  const source = planted(bug);
  const target = new URL(bug.file, src).href;
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      return url === target ? { ...loaded, source } : loaded;
    },
  });
}
