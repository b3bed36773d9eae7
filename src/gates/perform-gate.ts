/** Carries out one gate: a command of the user's, on the work that an attempt left, its output kept. */
import { Refusal } from '../base/errors.ts';
import type { CommandContext, CommandRequest, Performer } from '../engine/performer.ts';
import {
  baseTestsBasis,
  blockedGate,
  combineBaseAndWork,
  skippedGate,
  withProof,
} from '../attempts/gates/gate-outcome.ts';
import type { CommittedAttempt } from '../execution/committed-attempt.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import type { GateEnvironment, GateSubject } from './gate-environment.ts';
import { cachedOr } from './gate-cache.ts';
import { describeRefusal, refusalOr } from '../execution/refusal-outcome.ts';
import { findSubject, isOnBase } from './find-subject.ts';
import { gateEnvironment } from './gate-environment.ts';
import { proveGate } from './prove-gate.ts';
import { runGate, runQuietly } from './run-gate.ts';
import type { GateBasis, GateInput, GateOutcome } from '../protocol/contracts/gate-contract.ts';

export type GatePorts = ExecutionHost & {
  /** Where the output of a run's commands is kept. */
  readonly outputDir: (run: string) => Promise<string>;
  readonly findCommit: (run: CommandRequest['run'], attempt: number) => Promise<CommittedAttempt>;
};

export function gatePerformer(ports: GatePorts): Performer<'gate'> {
  return {
    command: 'gate',
    perform: async (request, context) => {
      const { name, known, warns, severity, skippedFor } = request.input;
      // The same files give the same result, so the time of another run is saved.
      if (known !== undefined) return { ...known.outcome, knownSince: known.since };
      const shown = {
        ...(warns === true ? { warns: true as const } : {}),
        ...(severity === undefined ? {} : { severity }),
      };
      if (skippedFor !== undefined) return { ...skippedGate(name, skippedFor), ...shown };
      const judge = (): Promise<GateOutcome> => performGate(request, context, ports);
      return { ...(await cachedOr(request, ports, judge)), ...shown };
    },
  };
}

async function performGate(
  request: CommandRequest<'gate'>,
  context: CommandContext<'gate'>,
  ports: GatePorts,
): Promise<GateOutcome> {
  const { input } = request;
  const unable = (why: string): GateOutcome => ({ kind: 'unable', name: input.name, why });
  const committed = await refusalOr(findSubject(request, ports));
  if (committed instanceof Refusal) return unable(describeRefusal(committed));
  if (committed.kind === 'not-committed')
    return unable(`what attempt ${input.attempt} did could not be kept: ${committed.message}`);
  if (context.cancelSignal.aborted) return unable('it was cancelled');
  try {
    return await judgeWork(request, committed, context, ports);
  } catch (error) {
    // What can't be done here makes the gate red; anything else thrown is a defect.
    if (error instanceof Refusal) return unable(describeRefusal(error));
    throw error;
  }
}

type GatePass = {
  readonly outcome: GateOutcome;
  readonly differs: boolean;
  readonly tookMs: number;
  readonly changedCode: GateEnvironment['changedCode'];
};

async function judgeWork(
  request: CommandRequest<'gate'>,
  subject: GateSubject,
  context: CommandContext<'gate'>,
  ports: GatePorts,
): Promise<GateOutcome> {
  const { input } = request;
  const run = async (definition: 'of-base' | 'of-work'): Promise<GatePass> => {
    await using environment = await gateEnvironment(request, input, subject, definition, ports);
    const { commit, restored, differs } = environment.note;
    const { changedCode } = environment;
    const basis = basisFor(input, environment.note);
    await context.note({ kind: 'judges', definition, commit, ...basis, restored: [...restored] });
    const forbidden = forbiddenChanges(input, environment.note);
    if (forbidden.length > 0) {
      const outcome = blockedGate(input.name, basis, forbidden);
      return { outcome, differs, tookMs: 0, changedCode };
    }
    // The pass with the files of the work also has its new tests, so that is the pass whose coverage counts.
    const judgesCoverage = definition === 'of-work' || !differs;
    const job = { request, environment, subject, basis, judgesCoverage };
    const begunMs = ports.clock.now();
    const outcome = await runGate(job, context, ports);
    return { outcome, differs, tookMs: ports.clock.now() - begunMs, changedCode };
  };
  const { outcome: ofBase, differs, tookMs, changedCode } = await run('of-base');
  if (ofBase.kind !== 'passed') return ofBase;
  // The judged tree is not the tree that would be applied, so the work has to pass unchanged, too.
  const green = differs ? combineBaseAndWork(ofBase, (await run('of-work')).outcome) : ofBase;
  if (green.kind !== 'passed') return green;
  const judged = { ...green, ...(await judgeBaseTests(request, subject, green, context, ports)) };
  // The base has no change that a mutant could be made of.
  if (input.prove === undefined || isOnBase(input)) return judged;
  const code = await changedCode();
  const proof = await proveGate({ request, subject, code, differs, tookMs }, context, ports);
  return withProof(judged, proof, input.prove);
}

/** The files for which the gate ends the run, if the work changes one of them. */
function forbiddenChanges(
  { protect, testsMayChange = false }: GateInput,
  { restored, tests, protectedFiles }: GateEnvironment['note'],
): readonly string[] {
  if (protect !== 'block') return [];
  const judging = testsMayChange ? [] : tests.map(({ path }) => path);
  return [...new Set([...protectedFiles.map(({ path }) => path), ...restored, ...judging])];
}

/** If changed tests count, the person who approves the work still learns what the tests of the base say about it. */
async function judgeBaseTests(
  request: CommandRequest<'gate'>,
  subject: GateSubject,
  { tests = [] }: GateBasis,
  context: CommandContext<'gate'>,
  ports: GatePorts,
): Promise<Pick<GateBasis, 'baseTestsRed'>> {
  if (request.input.testsMayChange !== true || tests.length === 0) return {};
  const { testsMayChange: _, ...input } = request.input;
  const strict = { ...request, input };
  await using environment = await gateEnvironment(strict, input, subject, 'of-base', ports);
  return baseTestsBasis(await runQuietly({ request: strict, environment }, context, ports));
}

/** The part of the result that says what the gate judged by. */
function basisFor(
  { acceptsUnprotected = false }: GateInput,
  { restored, tests, protectedFiles, unprotected }: GateEnvironment['note'],
): GateBasis {
  return {
    ...(protectedFiles.length === 0 ? {} : { protectedFiles }),
    ...(restored.length === 0 ? {} : { restored }),
    ...(tests.length === 0 ? {} : { tests }),
    ...(unprotected.length === 0 ? {} : { unprotected }),
    ...(unprotected.length > 0 && acceptsUnprotected ? { accepted: true } : {}),
  };
}
