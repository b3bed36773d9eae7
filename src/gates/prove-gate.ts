/** Tries mutants of the work on a green gate: a gate that stays green with all of them checks nothing of the change. */
import { Refusal } from '../base/errors.ts';
import type { CommandContext, CommandRequest } from '../engine/performer.ts';
import { describeRefusal } from '../execution/refusal-outcome.ts';
import type { ChangedText } from '../mutants/find-mutants.ts';
import { findMutants } from '../mutants/find-mutants.ts';
import type { FileMutant } from '../mutants/mutant.ts';
import { applyMutant, describeMutant } from '../mutants/mutant.ts';
import type { GateOutcome, GateProof } from '../protocol/contracts/gate-contract.ts';
import type { GateSubject } from './gate-environment.ts';
import { gateEnvironment } from './gate-environment.ts';
import type { GatePorts } from './perform-gate.ts';
import { runQuietly } from './run-gate.ts';

export type GreenGate = {
  readonly request: CommandRequest<'gate'>;
  readonly subject: GateSubject;
  readonly code: readonly ChangedText[];
  /** Whether the gate ran a second time, with the files of the work. */
  readonly differs: boolean;
  /** How long it took. */
  readonly tookMs: number;
};

const MUTANTS_MAX = 5;
/** A mutant may make the code slower, or loop for ever. */
const SLOWER_MAX = 3;
const EXTRA_MS = 10_000;

export async function proveGate(
  { request, subject, code, differs, tookMs }: GreenGate,
  context: CommandContext<'gate'>,
  ports: GatePorts,
): Promise<GateProof> {
  const mutants = await findMutants(code, MUTANTS_MAX);
  const timeoutMs = Math.min(request.input.timeoutMs, tookMs * SLOWER_MAX + EXTRA_MS);
  const quick = { ...request, input: { ...request.input, timeoutMs } };
  const judge = async (
    mutant: FileMutant,
    definition: 'of-base' | 'of-work',
  ): Promise<GateOutcome> => {
    const source = code.find(({ path }) => path === mutant.path)?.text ?? '';
    const text = { path: mutant.path, text: applyMutant(source, mutant) };
    await using environment = await gateEnvironment(
      quick,
      quick.input,
      subject,
      definition,
      ports,
      text,
    );
    return await runQuietly({ request: quick, environment }, context, ports);
  };
  const definitions = differs ? (['of-base', 'of-work'] as const) : (['of-base'] as const);
  const missed: string[] = [];
  try {
    for (const mutant of mutants) {
      for (const definition of definitions) {
        const { kind } = await judge(mutant, definition);
        if (kind === 'failed') return { kind: 'seeing', noticed: describeMutant(mutant), missed };
        if (kind === 'unable' || context.cancelSignal.aborted)
          return { kind: 'unknown', why: `${describeMutant(mutant)} could not be tried` };
      }
      missed.push(describeMutant(mutant));
    }
  } catch (error) {
    // The gate itself was green: what can't be done here does not change that.
    if (error instanceof Refusal) return { kind: 'unknown', why: describeRefusal(error) };
    throw error;
  }
  return missed.length === 0
    ? { kind: 'not-applicable', why: 'no changed line of code has a mutant' }
    : { kind: 'blind', missed };
}
