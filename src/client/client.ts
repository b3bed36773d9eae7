/** The requests to the owner about runs, typed and checked, over any transport. */
import { defined } from '../base/defined.ts';
import {
  Applied,
  ApplyDetails,
  Discarded,
  FoundRun,
  RunArtifacts,
  Undone,
  WorkDiff,
} from '../protocol/api.ts';
import { OpenQuestion } from '../protocol/views/open-question.ts';
import type {
  AnswerRequest,
  ApplyRequest,
  CommittedRequest,
  MovedRequest,
  FindPurpose,
  ForkPlace,
  ResumeRequest,
  RunRequest,
} from '../protocol/api.ts';
import { CheckpointView } from '../protocol/views/checkpoint-view.ts';
import { RunEventSchema, StoredEventSchema } from '../protocol/event.ts';
import type { RunEvent, StoredEvent } from '../protocol/event.ts';
import type { PersonSignal } from '../protocol/signal.ts';
import type { DecideRequest } from '../protocol/views/approval-view.ts';
import { EditView } from '../protocol/views/approval-view.ts';
import { BaseCheckStep } from '../protocol/views/base-check-view.ts';
import type { AblateRequest } from '../protocol/views/ablation-view.ts';
import { AblationView } from '../protocol/views/ablation-view.ts';
import type { FeatureRequest, PlanningRequest } from '../protocol/views/feature-view.ts';
import { FeatureView, PlannedView } from '../protocol/views/feature-view.ts';
import type { BaseCheckRequest } from '../protocol/views/base-check-view.ts';
import type { TellRequest } from '../protocol/run-message.ts';
import { MessageView } from '../protocol/views/message-view.ts';
import { Preflight } from '../protocol/views/preflight-view.ts';
import { ReportView } from '../reports/runs/runs-report.ts';
import { StepsReportView } from '../reports/steps/steps-report.ts';
import type { RunConclusion } from '../public-json/run-result.ts';
import { RunResult } from '../public-json/run-result.ts';
import { ScheduleView } from '../protocol/views/schedule-view.ts';
import type { AddScheduleRequest } from '../protocol/views/schedule-view.ts';
import { RunView } from '../protocol/views/run-view.ts';
import { StatusRow } from '../protocol/views/status-row.ts';
import { WhyView } from '../reports/runs/explain-run.ts';
import { AgentsClient } from './agents-client.ts';
import { query, runPath } from './api-paths.ts';
import { MachineClient } from './machine-client.ts';
import { OutputClient } from './output-client.ts';
import { TakeoverClient } from './takeover-client.ts';
import { OwnerCalls } from './owner-calls.ts';
import { NO_CHANGES } from '../protocol/resume-changes.ts';
import { LackingKeys } from '../protocol/run-environment.ts';
import type { JsonCall, ShellVariables } from './shell-environment.ts';
import { agentsOfRun, ShellEnvironment } from './shell-environment.ts';
import type { TransportCall, Transport } from './transport.ts';
import { commandCall } from './transport.ts';

export type RunsFilter = {
  readonly project?: string;
  readonly ended?: boolean;
  /** Only the runs that this run started. */
  readonly parent?: string;
  readonly limit?: number;
};

export class Client {
  readonly #calls: OwnerCalls;
  readonly #shell: ShellEnvironment;
  /** Requests about long-lived agents. */
  readonly agents: AgentsClient;
  /** What the agents of a run print. */
  readonly output: OutputClient;
  /** A person's terminal at an agent. */
  readonly takeover: TakeoverClient;
  /** Requests about the owner itself, and about what all runs of this machine share. */
  readonly machine: MachineClient;

  /** `variables`: the environment of the shell or program that sends the commands. */
  constructor(transport: Transport, variables?: ShellVariables) {
    this.#calls = new OwnerCalls(transport);
    const json: JsonCall = (path, call) => this.#calls.json(path, call);
    this.#shell = new ShellEnvironment(variables, json);
    this.agents = new AgentsClient(json, this.#shell);
    this.output = new OutputClient(this.#calls);
    this.takeover = new TakeoverClient(this.#calls);
    this.machine = new MachineClient(this.#calls);
  }

  /** `key`, here and below: a command that is sent again with the same key takes effect once. */
  async submit(request: RunRequest, key?: string): Promise<RunView> {
    const body = { ...request, ...(await this.#shell.forRequest(agentsOfRun(request))) };
    return RunView.parse(await this.#calls.json('/v1/runs', commandCall(key, body)));
  }

  /** Starts such a run at set times. What this shell gives, its runs get as long as the owner lives. */
  async addSchedule(request: AddScheduleRequest): Promise<ScheduleView> {
    const body = { ...request, ...(await this.#shell.forRequest(agentsOfRun(request.run))) };
    return ScheduleView.parse(await this.#calls.json('/v1/schedules', { method: 'POST', body }));
  }

  /** Starts a run that compares a workflow with and without a step. */
  async ablate(request: AblateRequest, key: string): Promise<RunView> {
    const body = { ...request, ...(await this.#shell.forAnyAgent(request)) };
    return RunView.parse(await this.#calls.json('/v1/ablations', commandCall(key, body)));
  }

  /** How far that run is. */
  async ablation(id: string): Promise<AblationView> {
    return AblationView.parse(await this.#calls.json(runPath(id, 'ablation'), { method: 'GET' }));
  }

  /** Starts a run that builds a feature. */
  async startFeature(request: FeatureRequest, key?: string): Promise<RunView> {
    const body = { ...request, ...(await this.#shell.forAnyAgent(request)) };
    return RunView.parse(await this.#calls.json('/v1/features', commandCall(key, body)));
  }

  /** How far that run is. */
  async feature(id: string): Promise<FeatureView> {
    return FeatureView.parse(await this.#calls.json(runPath(id, 'feature'), { method: 'GET' }));
  }

  /** Starts a run that plans a feature. */
  async startPlanning(request: PlanningRequest, key?: string): Promise<RunView> {
    const body = { ...request, ...(await this.#shell.forAnyAgent(request)) };
    return RunView.parse(await this.#calls.json('/v1/plans', commandCall(key, body)));
  }

  /** What that run has planned. */
  async planned(id: string): Promise<PlannedView> {
    return PlannedView.parse(await this.#calls.json(runPath(id, 'planned'), { method: 'GET' }));
  }

  /** Checks everything that this run needs, without creating it. */
  async preflight(request: RunRequest): Promise<Preflight> {
    const body = { ...request, ...(await this.#shell.forRequest(agentsOfRun(request))) };
    return Preflight.parse(await this.#calls.json('/v1/preflight', { method: 'POST', body }));
  }

  /** Runs the setup and the gates of a project once, on its files as they are now: each as it starts and ends. */
  async *checkBase(
    request: BaseCheckRequest,
    signal?: AbortSignal,
  ): AsyncGenerator<BaseCheckStep, void> {
    const body = { ...request, ...(await this.#shell.forSetup()) };
    const call: TransportCall = { method: 'POST', body, ...defined({ signal }) };
    for await (const item of this.#calls.stream('/v1/base-check', call, 'supervisor init'))
      yield BaseCheckStep.parse(item);
  }

  async runs(filter: RunsFilter = {}): Promise<readonly RunView[]> {
    const path = `/v1/runs${query({ ...filter })}`;
    return RunView.array().parse(await this.#calls.json(path, { method: 'GET' }));
  }

  /** The same runs, each with the reason for its state. */
  async status(filter: RunsFilter = {}): Promise<readonly StatusRow[]> {
    const path = `/v1/status${query({ ...filter })}`;
    return StatusRow.array().parse(await this.#calls.json(path, { method: 'GET' }));
  }

  async statusOf(id: string): Promise<StatusRow> {
    return StatusRow.parse(await this.#calls.json(runPath(id, 'status'), { method: 'GET' }));
  }

  /** The id of the run that a person means: by its id, the beginning of its id, `last`, or the name of an agent. */
  async find(reference: string, project: string, purpose: FindPurpose): Promise<string> {
    const path = `/v1/find${query({ reference, project, purpose })}`;
    return FoundRun.parse(await this.#calls.json(path, { method: 'GET' })).run;
  }

  async run(id: string): Promise<RunView> {
    return RunView.parse(await this.#calls.json(runPath(id), { method: 'GET' }));
  }

  async signal(id: string, signal: PersonSignal, key?: string): Promise<RunView> {
    return RunView.parse(await this.#calls.json(runPath(id, 'signals'), commandCall(key, signal)));
  }

  /** Resolves when the message is durable. `messages` shows what became of it. */
  async tell(id: string, request: TellRequest, key?: string): Promise<MessageView> {
    const call = commandCall(key, request);
    return MessageView.parse(await this.#calls.json(runPath(id, 'messages'), call));
  }

  /** The messages to the agent of a run, oldest first. */
  async messages(id: string): Promise<readonly MessageView[]> {
    const path = runPath(id, 'messages');
    return MessageView.array().parse(await this.#calls.json(path, { method: 'GET' }));
  }

  /** The open questions of all runs, oldest first. */
  async inbox(): Promise<readonly OpenQuestion[]> {
    return OpenQuestion.array().parse(await this.#calls.json('/v1/inbox', { method: 'GET' }));
  }

  /** The open questions of a run and of the runs below it, now and after each change, until the run ends. */
  async *followQuestions(
    id: string,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly OpenQuestion[], void> {
    const path = runPath(id, 'questions');
    for await (const item of this.#calls.follow(path, `supervisor attach ${id}`, signal))
      yield OpenQuestion.array().parse(item);
  }

  async answer(id: string, request: AnswerRequest, key?: string): Promise<RunView> {
    const body = { ...request, ...(await this.#shell.forRun(id)) };
    return RunView.parse(await this.#calls.json(runPath(id, 'answer'), commandCall(key, body)));
  }

  /** Decides about the work that a step of a workflow has left. */
  async decide(id: string, request: DecideRequest, key?: string): Promise<RunView> {
    return RunView.parse(
      await this.#calls.json(runPath(id, 'decision'), commandCall(key, request)),
    );
  }

  /** The checkout in which a person changes the work that a workflow asks about. */
  async edit(id: string): Promise<EditView> {
    return EditView.parse(await this.#calls.json(runPath(id, 'edit'), { method: 'POST' }));
  }

  /** `place`: the run begins after a fact, or with a step of the workflow. */
  async fork(id: string, place: ForkPlace, key?: string): Promise<RunView> {
    const body = { ...place, ...(await this.#shell.forRun(id)) };
    return RunView.parse(await this.#calls.json(runPath(id, 'fork'), commandCall(key, body)));
  }

  /** Returns an active run as it is. For a run that was stopped or failed, creates a new run that continues it. */
  async resume(
    id: string,
    key?: string,
    changes: NonNullable<ResumeRequest> = NO_CHANGES,
  ): Promise<RunView> {
    const body = { ...changes, ...(await this.#shell.forRun(id, changes.agent)) };
    return RunView.parse(await this.#calls.json(runPath(id, 'resume'), commandCall(key, body)));
  }

  /** The steps of a workflow that a run can continue from, oldest first. */
  async checkpoints(id: string): Promise<readonly CheckpointView[]> {
    const found = await this.#calls.json(runPath(id, 'checkpoints'), { method: 'GET' });
    return CheckpointView.array().parse(found);
  }

  /** What keeps agents of a run from their model, and what to type. Null: nothing that the owner knows of. */
  async lacks(id: string): Promise<string | null> {
    return (await this.#lacking(id)).lacks;
  }

  /** Why the budget of a run ends it at its first call, and what to type. Null: it does not, as far as is known. */
  async smallBudget(id: string): Promise<string | null> {
    return (await this.#lacking(id)).budget;
  }

  async #lacking(id: string): Promise<LackingKeys> {
    return LackingKeys.parse(await this.#calls.json(runPath(id, 'keys'), { method: 'GET' }));
  }

  /** The changes of the run's agent, from its committed work. `project`: one that a feature spans. */
  async diff(id: string, project?: string): Promise<WorkDiff> {
    const path = `${runPath(id, 'diff')}${query({ project })}`;
    return WorkDiff.parse(await this.#calls.json(path, { method: 'GET' }));
  }

  /** Applies the run's work to the user's project or to a new branch: all of it, or nothing. */
  async apply(id: string, request: ApplyRequest = {}, key?: string): Promise<Applied> {
    return Applied.parse(await this.#calls.json(runPath(id, 'apply'), commandCall(key, request)));
  }

  /** Tells what the command made of the end of its run. The notification of the end waits for it. */
  async conclude(id: string, conclusion: RunConclusion): Promise<void> {
    await this.#calls.json(runPath(id, 'conclusion'), { method: 'POST', body: conclusion });
  }

  /** What the last apply changed, and the message of a commit with it. `message`: its first line. */
  async applyDetails(id: string, message?: string): Promise<ApplyDetails> {
    const path = `${runPath(id, 'apply')}${query({ message })}`;
    return ApplyDetails.parse(await this.#calls.json(path, { method: 'GET' }));
  }

  /** Records that the applied files are in this commit of the user's repository. */
  async committed(id: string, request: CommittedRequest): Promise<ApplyDetails> {
    const call: TransportCall = { method: 'POST', body: request };
    return ApplyDetails.parse(await this.#calls.json(runPath(id, 'committed'), call));
  }

  /** Records that the user's git has merged the work, or has taken it out again. */
  async moved(id: string, request: MovedRequest): Promise<ApplyDetails> {
    const call: TransportCall = { method: 'POST', body: request };
    return ApplyDetails.parse(await this.#calls.json(runPath(id, 'moved'), call));
  }

  /** Restores the files that the last apply of the run changed: all of them, or none. */
  async undo(id: string, key?: string): Promise<Undone> {
    return Undone.parse(await this.#calls.json(runPath(id, 'undo'), commandCall(key)));
  }

  /** Deletes the run's workspace. Its work is kept on its ref. */
  async discard(id: string): Promise<Discarded> {
    return Discarded.parse(await this.#calls.json(runPath(id, 'discard'), { method: 'POST' }));
  }

  /** The run as one value for scripts. */
  async result(id: string): Promise<RunResult> {
    return RunResult.parse(await this.#calls.json(runPath(id, 'result'), { method: 'GET' }));
  }

  /** Explains the state of the run, and what to do next. */
  async why(id: string): Promise<WhyView> {
    return WhyView.parse(await this.#calls.json(runPath(id, 'why'), { method: 'GET' }));
  }

  /** Summarizes the runs that are active or ended after `since` (milliseconds since 1970). */
  async report(since: number): Promise<ReportView> {
    const path = `/v1/report${query({ since })}`;
    return ReportView.parse(await this.#calls.json(path, { method: 'GET' }));
  }

  /** What the steps of workflows have cost and changed: of all workflows, or of one. */
  async stepsReport(since: number, template?: string): Promise<StepsReportView> {
    const path = `/v1/report/steps${query({ since, ...defined({ template }) })}`;
    return StepsReportView.parse(await this.#calls.json(path, { method: 'GET' }));
  }

  /** The artifacts of the run's attempts, once it has ended. */
  async artifacts(id: string): Promise<RunArtifacts> {
    return RunArtifacts.parse(await this.#calls.json(runPath(id, 'artifacts'), { method: 'GET' }));
  }

  /** Copies the artifacts to a folder, with a subfolder for each attempt. Refuses to overwrite anything. */
  async copyArtifacts(id: string, to: string): Promise<RunArtifacts> {
    const body = { to };
    return RunArtifacts.parse(
      await this.#calls.json(runPath(id, 'artifacts/copy'), { method: 'POST', body }),
    );
  }

  /** One page of the journal: of all streams by id, or of one run by seq. */
  async events(page: {
    run?: string;
    after?: number;
    limit?: number;
    newest?: true;
  }): Promise<readonly StoredEvent[]> {
    const events = await this.#calls.json(`/v1/events${query(page)}`, { method: 'GET' });
    return (events as unknown[]).map((event) => StoredEventSchema.parse(event));
  }

  /** The recorded notifications about a run, oldest first. */
  async notifications(id: string): Promise<readonly StoredEvent[]> {
    const events = await this.#calls.json(runPath(id, 'notifications'), { method: 'GET' });
    return (events as unknown[]).map((event) => StoredEventSchema.parse(event));
  }

  /** A run's events from the start or after a seq, then as they come, until it ends. */
  async *followRun(
    id: string,
    after: number,
    signal?: AbortSignal,
  ): AsyncGenerator<RunEvent, void> {
    const path = `${runPath(id, 'events')}${query({ after })}`;
    for await (const item of this.#calls.follow(path, `supervisor resume ${id}`, signal)) {
      const event = RunEventSchema.parse(item);
      yield event;
      if (event.type === 'run.ended') return; // the owner may close before it ends the stream
    }
  }

  /** All events after an id, then as they come, until `signal` aborts. */
  async *followAll(after: number, signal?: AbortSignal): AsyncGenerator<StoredEvent, void> {
    const path = `/v1/events/follow${query({ after })}`;
    for await (const item of this.#calls.follow(path, 'supervisor events --follow', signal)) {
      yield StoredEventSchema.parse(item);
    }
  }
}
