/** The last verdict of each gate of a run, from its facts. */
import type { GateProof } from '../../../src/protocol/contracts/gate-contract.ts';
import type { RunEvent } from '../../../src/protocol/event.ts';

export type GateVerdict = {
  readonly name: string;
  readonly verdict: string;
  /** Such as `118 passed`, and whether it noticed a mutant of the work. Empty: nothing is known. */
  readonly proof: readonly string[];
};

export function lastGates(events: readonly RunEvent[]): readonly GateVerdict[] {
  const verdicts = new Map<string, GateVerdict>();
  for (const { type, payload } of events) {
    if (type === 'command.begun' && payload.command === 'gate')
      verdicts.set(payload.input.name, running(payload.input.name));
    if (type !== 'command.ended' || payload.command !== 'gate' || payload.end.kind !== 'done')
      continue;
    const { result } = payload.end;
    const { name, kind: verdict } = result;
    verdicts.set(name, { name, verdict, proof: 'proof' in result ? proofOf(result.proof) : [] });
  }
  return [...verdicts.values()];
}

function running(name: string): GateVerdict {
  return { name, verdict: 'running', proof: [] };
}

function proofOf(proof: GateProof | undefined): readonly string[] {
  switch (proof?.kind) {
    case undefined:
      return [];
    case 'seeing':
      return [`noticed a mutant: ${proof.noticed}`, ...missed(proof.missed)];
    case 'blind':
      return missed(proof.missed);
    case 'not-applicable':
    case 'unknown':
      return [`no mutant was tried: ${proof.why}`];
  }
}

function missed(mutants: readonly string[]): readonly string[] {
  return mutants.map((one) => `did not notice: ${one}`);
}
