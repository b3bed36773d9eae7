/** Runs the command of a gate in its environment, keeps its output, and judges its end and what it has written. */
import { posix } from 'node:path';
import type { CommandContext, CommandRequest } from '../engine/performer.ts';
import { redactValue } from '../redaction/redact-value.ts';
import type { SandboxIo } from '../sandbox/run-sandboxed.ts';
import { endOfCommand } from '../execution/command-end.ts';
import { judgeGate, GATE_TAIL_CHARS_MAX } from '../attempts/gates/gate-outcome.ts';
import { OutputRecorder } from '../execution/output-recorder.ts';
import { agentRedactor } from '../execution/environments/agent-secrets.ts';
import type { ReportVerdict } from '../test-reports/test-report.ts';
import { judgeReports } from '../test-reports/test-report.ts';
import { relativePathsIn } from '../workspace/work-paths.ts';
import type { GateBasis, GateInput, GateOutcome } from '../protocol/contracts/gate-contract.ts';
import { watchWrites } from './allowed-writes.ts';
import { expectFiles, REPORT_BYTES_MAX, STDOUT } from './declared-files.ts';
import type { GateEnvironment, GateSubject } from './gate-environment.ts';
import { keepWrites } from './keep-writes.ts';
import { BoundedOutput } from './bounded-output.ts';
import type { GatePorts } from './perform-gate.ts';
import type { GateFindings } from './read-findings.ts';
import { checkCoverage, readTestReport } from './read-findings.ts';

/** Of both streams together; the middle of more than that is dropped and counted. */
const OUTPUT_BYTES_MAX = 2_000_000;
/** Enough for the first failures of a runner that prints TAP. */
const TAP_BYTES_MAX = 1_000_000;
/** How long a gate may take to end once it is told to. A check has nothing to save. */
const GRACE_MS = 2000;
/** As many bytes as so many characters can have. */
const TAIL_BYTES_MAX = GATE_TAIL_CHARS_MAX * 4;

export type GateJob = {
  readonly request: CommandRequest<'gate'>;
  readonly environment: GateEnvironment;
  readonly subject: GateSubject;
  readonly basis: GateBasis;
  /** Whether it runs on exactly the work: then its coverage is judged, and what it writes may be kept. */
  readonly judgesCoverage: boolean;
};

export async function runGate(
  { request, environment, subject, basis, judgesCoverage }: GateJob,
  context: CommandContext<'gate'>,
  ports: GatePorts,
): Promise<GateOutcome> {
  const { input } = request;
  const dir = await ports.outputDir(request.run);
  const tail = new BoundedOutput('end', TAIL_BYTES_MAX);
  const stdout = new BoundedOutput(
    'start',
    input.report === STDOUT ? REPORT_BYTES_MAX : TAP_BYTES_MAX,
  );
  // It is given no secret; but the work, or a file that the user grants, may hold one.
  const redactor = agentRedactor([]);
  await using recorder = await OutputRecorder.open(
    { dir, key: request.key, bytesMax: OUTPUT_BYTES_MAX, redactor },
    (_stream, bytes) => tail.push(bytes),
  );
  const io: SandboxIo = {
    tag: ports.tagOf(request.run, request.key),
    onStdout: (chunk) => {
      stdout.push(chunk);
      return recorder.write('stdout', chunk);
    },
    onStderr: (chunk) => recorder.write('stderr', chunk),
    graceMs: GRACE_MS,
  };
  const { folder, work } = environment;
  const readWritten = await expectFiles(input, folder, work !== undefined);
  const findWrites = await watchWrites(input, folder);
  const startsIn = posix.join(folder.inside, input.workingDir ?? '');
  const command = await environment.start(io, context.cancelSignal);
  const { exit, endedBy, oom } = await endOfCommand(command, context, GRACE_MS);
  await recorder.end();
  const end = { exit, endedBy, oom: oom === true };
  const { counted, reds } = await countTests(environment);
  const written = await findWrites();
  const isNeeded = input.report === STDOUT || exit.kind !== 'code' || exit.code !== 0;
  const report = await readTestReport(input, readWritten, isNeeded ? stdout.text() : '');
  const coverage = judgesCoverage
    ? await checkCoverage(input, startsIn, readWritten, environment.addedLines)
    : NOT_JUDGED;
  const counting = counted === undefined ? whyNotCounted(input, environment) : { counted };
  const judged = judgeGate(
    input,
    end,
    tail.text(),
    { ...basis, ...counting, ...report.basis, ...coverage.basis },
    [...reds, ...report.reds, ...coverage.reds, ...written.reds],
  );
  const keeps = input.keepsWrites === true && judgesCoverage && work !== undefined;
  const kept =
    keeps && judged.kind === 'passed' && written.changed.length > 0
      ? {
          work: await keepWrites(
            request,
            { subject, root: folder.root, paths: written.changed },
            ports,
          ),
        }
      : {};
  // The copy is gone when a person or the next agent reads this, so its paths would lead nowhere.
  const shown = await redactValue(
    redactor,
    work === undefined ? judged : withRelativePaths(judged, work),
  );
  return shown.kind === 'passed' ? { ...shown, ...kept } : shown;
}

/** Only the verdict: what it prints is not kept, and what it writes is not read. */
export async function runQuietly(
  { request, environment }: Pick<GateJob, 'request' | 'environment'>,
  context: CommandContext<'gate'>,
  ports: GatePorts,
): Promise<GateOutcome> {
  const tail = new BoundedOutput('end', TAIL_BYTES_MAX);
  const keep = (chunk: Uint8Array): undefined => {
    tail.push(chunk);
    return undefined;
  };
  const io: SandboxIo = {
    tag: ports.tagOf(request.run, request.key),
    onStdout: keep,
    onStderr: keep,
    graceMs: GRACE_MS,
  };
  const command = await environment.start(io, context.cancelSignal);
  const { exit, endedBy, oom } = await endOfCommand(command, context, GRACE_MS);
  const { counted, reds } = await countTests(environment);
  const end = { exit, endedBy, oom: oom === true };
  const basis = counted === undefined ? {} : { counted };
  const judged = judgeGate(request.input, end, tail.text(), basis, reds);
  const { work } = environment;
  return redactValue(
    agentRedactor([]),
    work === undefined ? judged : withRelativePaths(judged, work),
  );
}

const NOT_JUDGED: GateFindings = { basis: {}, reds: [] };

function withRelativePaths(outcome: GateOutcome, work: string): GateOutcome {
  const relative = (text: string): string => relativePathsIn(text, work);
  if (outcome.kind === 'unable') return { ...outcome, why: relative(outcome.why) };
  const { failures, counted } = outcome;
  return {
    ...outcome,
    ...(counted?.failing === undefined
      ? {}
      : { counted: { ...counted, failing: counted.failing.map(relative) } }),
    ...(outcome.kind === 'failed' ? { tail: relative(outcome.tail) } : {}),
    ...(failures === undefined
      ? {}
      : {
          // A runner names a test file that it cannot load by its path.
          failures: failures.map(({ name, file, message, ...failure }) => ({
            ...{ ...failure, name: relative(name) },
            ...(file === undefined ? {} : { file: relative(file) }),
            ...(message === undefined ? {} : { message: relative(message) }),
          })),
        }),
  };
}

async function countTests({ reports, runners }: GateEnvironment): Promise<ReportVerdict> {
  return reports === undefined ? { reds: [] } : judgeReports(await reports.sessions(), runners);
}

/** A command that starts no test runner, such as a linter, has nothing to count. */
function whyNotCounted({ count = true }: GateInput, { silent }: GateEnvironment): GateBasis {
  if (!count) return { notCounted: 'the gate says count: false' };
  return silent.length === 0 ? {} : { notCounted: silent.join('; ') };
}
