/** Carries out one gate: a command of the user's, on the work that an attempt left, its output kept. */
import { Refusal } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { Errand, Order, Performer } from '../engine/performer.ts';
import { keepValue } from '../redaction/keep-value.ts';
import type { SandboxIo } from '../sandbox/run-sandboxed.ts';
import { endOfCommand } from './command-end.ts';
import type { Basis, GateInput, GateOutcome } from './gate.ts';
import { alsoAsItIs, judge, TAIL_CHARS_MAX } from './gate.ts';
import type { GatePlace, GatePlacePorts, KeptOfAttempt } from './gate-place.ts';
import { inWords } from './refused.ts';
import { gatePlace } from './gate-place.ts';
import { KeptOutput } from './kept-output.ts';
import { redactorOf } from './secrets.ts';

export type GatePorts = GatePlacePorts & {
  /** Where the output of a run's commands is kept. */
  readonly outputDir: (run: string) => Promise<string>;
  readonly keptOf: (run: Order['run'], attempt: number) => Promise<KeptOfAttempt>;
};

/** Of both streams together; the middle of more than that is dropped and counted. */
const OUTPUT_BYTES_MAX = 2_000_000;
/** A check has nothing to put in order when its time is up. */
const GRACE_MS = 2000;
/** As many bytes as so many characters can have. */
const TAIL_BYTES_MAX = TAIL_CHARS_MAX * 4;

export function gatePerformer(ports: GatePorts): Performer {
  return {
    command: 'gate',
    perform: async (order, errand): Promise<Record<string, Json>> => ({
      ...(await performGate(order, errand, ports)),
      ...(order.input['warns'] === true ? { warns: true } : {}),
    }),
  };
}

async function performGate(order: Order, errand: Errand, ports: GatePorts): Promise<GateOutcome> {
  const input = order.input as unknown as GateInput;
  const unable = (why: string): GateOutcome => ({ kind: 'unable', name: input.name, why });
  const kept = await ports.keptOf(order.run, input.attempt);
  if (kept.kind === 'not-kept')
    return unable(`what attempt ${input.attempt} did could not be kept: ${kept.message}`);
  if (errand.asked.aborted) return unable('it was called off');
  const run = async (
    definition: 'of-base' | 'of-work',
  ): Promise<{ readonly outcome: GateOutcome; readonly differs: boolean }> => {
    await using place = await gatePlace(order, input, kept, definition, ports);
    const { commit, restored, differs } = place.note;
    const basis = basisFor(input, place.note);
    await errand.note({ kind: 'judges', definition, commit, ...basis, restored: [...restored] });
    return { outcome: await runGate(order, input, place, basis, errand, ports), differs };
  };
  try {
    const { outcome, differs } = await run('of-base');
    if (outcome.kind !== 'passed' || !differs) return outcome;
    // What is judged would not be what is applied, so it has to hold as it is, too.
    return alsoAsItIs(outcome, (await run('of-work')).outcome);
  } catch (error) {
    // What can't be done here makes the gate red; anything else thrown is a defect.
    if (error instanceof Refusal) return unable(inWords(error));
    throw error;
  }
}

/** What the record says about by what it judges. */
function basisFor(
  { acceptsUnprotected = false }: GateInput,
  { restored, tests, unprotected }: GatePlace['note'],
): Basis {
  return {
    ...(restored.length === 0 ? {} : { restored }),
    ...(tests.length === 0 ? {} : { tests }),
    ...(unprotected.length === 0 ? {} : { unprotected }),
    ...(unprotected.length > 0 && acceptsUnprotected ? { accepted: true } : {}),
  };
}

async function runGate(
  order: Order,
  input: GateInput,
  place: GatePlace,
  basis: Basis,
  errand: Errand,
  ports: GatePorts,
): Promise<GateOutcome> {
  const dir = await ports.outputDir(order.run);
  const tail = new Tail();
  // It is given no secret; but the work, or a file that the user grants, may hold one.
  const redactor = redactorOf([]);
  await using kept = await KeptOutput.open(
    dir,
    order.key,
    OUTPUT_BYTES_MAX,
    redactor,
    (_stream, bytes) => tail.push(bytes),
  );
  const io: SandboxIo = {
    tag: ports.tagOf(order.run, order.key),
    onStdout: (chunk) => kept.write('stdout', chunk),
    onStderr: (chunk) => kept.write('stderr', chunk),
    graceMs: GRACE_MS,
  };
  const command = await place.start(io, errand.asked);
  const { exit, endedBy, oom } = await endOfCommand(command, errand, GRACE_MS);
  await kept.end();
  const end = { exit, endedBy, oom: oom === true };
  return keepValue(redactor, judge(input, end, tail.text(), basis));
}

/** The end of what was printed, on both streams as it came. */
class Tail {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let [first] = this.#chunks; first !== undefined; [first] = this.#chunks) {
      if (this.#bytes - first.length < TAIL_BYTES_MAX) return;
      this.#chunks.shift();
      this.#bytes -= first.length;
    }
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
