/** What commands give to runs: tells a client which variables to send, and hands them to the run. */
import type { RunId } from '../../base/ids.ts';
import type {
  EnvironmentNames,
  EnvironmentRequest,
  RunEnvironment,
} from '../../protocol/run-environment.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { PersonSignal } from '../../protocol/signal.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import type { OwnerOptions } from '../owner-options.ts';
import { projectSettings } from '../project-settings.ts';
import { namesForRequest, namesInSubmission } from './environment-names.ts';
import type { RunEnvironments } from './run-environments.ts';
import { keysMissing } from './run-environments.ts';

export type RunCredentialsPorts = {
  readonly options: OwnerOptions;
  readonly environments: RunEnvironments;
  readonly journal: () => Journal;
  readonly view: (run: RunId) => Promise<RunView>;
  /** Resolves when the answer is durable. */
  readonly answer: (run: RunId, signal: PersonSignal) => Promise<void>;
};

export class RunCredentials {
  readonly #ports: RunCredentialsPorts;

  constructor(ports: RunCredentialsPorts) {
    this.#ports = ports;
  }

  /** The variables that a command should send, by name. */
  async names({ set = [], ...request }: EnvironmentRequest): Promise<EnvironmentNames> {
    const settingsRequest = { set, untrusted: request.untrusted };
    const { settings } = await projectSettings(
      this.#ports.options,
      request.project,
      settingsRequest,
    );
    return { names: namesForRequest(request, settings) };
  }

  /** The same for a command that continues a run. */
  async namesOf(run: RunId): Promise<EnvironmentNames> {
    await this.#ports.view(run);
    const submission = await findSubmission(this.#ports.journal(), run);
    return { names: submission === undefined ? [] : namesInSubmission(submission) };
  }

  /** For a run that exists: gives it what it lacks since the last owner ended. */
  async supply(run: RunId, environment: RunEnvironment | undefined): Promise<void> {
    const { environments, journal, view } = this.#ports;
    if (environment === undefined || (await view(run)).endedAt !== null) return;
    const submission = await findSubmission(journal(), run);
    if (submission === undefined) return;
    const lacking = this.#lacking(run, submission);
    const hasSome = lacking.some((name) => (environment[name] ?? '') !== '');
    if (hasSome || !environments.has(run)) environments.giveTo(submission, environment)(run);
  }

  /** The same, and a run that asks for its keys continues. Refuses if this shell has none of them, either. */
  async continueWith(run: RunId, environment: RunEnvironment | undefined): Promise<void> {
    const submission = await findSubmission(this.#ports.journal(), run);
    if (submission === undefined) return;
    const before = this.#lacking(run, submission);
    await this.supply(run, environment);
    const { open, agent } = await this.#ports.view(run);
    const question = open.find(({ about }) => about === 'keys');
    if (question === undefined) return;
    const lacking = this.#lacking(run, submission);
    if (lacking.length > 0 && lacking.length === before.length)
      throw keysMissing(agent ?? 'The agent', lacking, run);
    const [choice = 'retry'] = question.choices ?? [];
    await this.#ports.answer(run, { kind: 'answer', key: question.key, answer: choice });
  }

  #lacking(run: RunId, { settings }: Submission): readonly string[] {
    const { agent, chain = [agent] } = settings;
    const { environments } = this.#ports;
    return [...new Set(chain.flatMap((one) => environments.lacking(run, one)))];
  }
}

/** The submission of a run, or of the run that it was forked from. Undefined: the run has no first fact. */
export async function findSubmission(
  journal: Pick<Journal, 'readStream'>,
  run: RunId,
): Promise<Submission | undefined> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  if (first?.type === 'run.forked') return first.payload.submission;
  return first?.type === 'run.submitted' ? first.payload : undefined;
}
