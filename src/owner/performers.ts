/** Creates all performers of an owner from the rooms that implement them. */
import type { BreakerStore } from '../limits/breaker-store.ts';
import { breakerPerformer } from '../limits/perform-breaker.ts';
import type { CooldownStore } from '../limits/cooldown-store.ts';
import { attemptPerformer } from '../execution/perform-attempt.ts';
import { commitWorkPerformer } from '../execution/commit-work/perform-commit-work.ts';
import {
  mergeWorkPerformer,
  openBasePerformer,
  writeInterfacesPerformer,
} from '../execution/merge-work/perform-merge-work.ts';
import { LiveAttempts } from '../execution/messages/message-channel.ts';
import { deliveryPerformer } from '../execution/messages/perform-delivery.ts';
import type { PersonTerminals } from '../execution/takeover/person-terminals.ts';
import { finalizePerformer } from '../execution/perform-finalize.ts';
import { baselinePerformer } from '../gates/baseline/perform-baseline.ts';
import { gatePerformer } from '../gates/perform-gate.ts';
import { baseOfRun, setupPerformer } from '../setup/perform-setup.ts';
import { cooldownPerformer, availabilityPerformer } from '../limits/perform-availability.ts';
import type { OnActivity } from '../execution/report-activity.ts';
import { AgentUsageStore } from '../limits/agent-usage-store.ts';
import type { RunId } from '../base/ids.ts';
import type { Performer } from '../engine/performer.ts';
import type { GatewayProcesses } from '../gateway/process/gateway-processes.ts';
import {
  releaseItemPerformer,
  claimItemPerformer,
} from '../execution/agent-commands/perform-queue.ts';
import { broadcastPerformer } from '../execution/agent-commands/perform-broadcast.ts';
import { messagePerformer } from '../execution/agent-commands/perform-message.ts';
import type { Signal } from '../protocol/signal.ts';
import { Submissions } from './runs/submissions.ts';
import { steeringPorts } from './runs/steering-ports.ts';
import { committedBefore, committedWork } from './runs/committed-work.ts';
import type { OwnerOptions } from './owner-options.ts';
import { assessChangePerformer } from './approvals/assess-change.ts';
import { agentParent } from './agents/agent-parent.ts';
import type { Pauses } from './pauses.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import { attemptEnvironments } from './execution-host.ts';
import type { BudgetPools } from './budgets/budget-pools.ts';
import { projectSecrets } from './project-settings.ts';
import { onPathOf } from './credentials/run-path.ts';
import { findSubmission } from './credentials/run-credentials.ts';
import type { RunEnvironments } from './credentials/run-environments.ts';
import type { OwnerState } from './owner-state.ts';
import { BriefStore } from '../brief/brief-store.ts';
import { briefsDir } from './runs/unused-briefs.ts';
import { collectStepPerformer } from './workflows/collect-step.ts';
import type { EarlyPrompts } from './workflows/early-prompts.ts';
import { prepareStepPerformer } from './workflows/prepare-step.ts';
import { withSetupOfWork } from './workflows/setup-of-work.ts';

export type PerformerPorts = {
  readonly executionHost: ExecutionHost;
  readonly cooldowns: CooldownStore;
  readonly breakers: BreakerStore;
  readonly pauses: Pauses;
  readonly terminals: PersonTerminals;
  readonly environments: RunEnvironments;
  readonly earlyPrompts: EarlyPrompts;
  readonly budgetPools: BudgetPools;
  readonly gateways: GatewayProcesses;
  /** Resolves when the signal is durable. */
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  /** The other members of an agent's gang. */
  readonly siblingsOf: (run: RunId) => readonly RunId[];
  readonly onActivity: OnActivity;
};

export function ownerPerformers(
  options: OwnerOptions,
  state: OwnerState,
  {
    executionHost: host,
    cooldowns,
    breakers,
    pauses,
    terminals,
    environments,
    earlyPrompts,
    budgetPools,
    gateways,
    signal,
    siblingsOf,
    onActivity,
  }: PerformerPorts,
): readonly Performer[] {
  const { clock, node, home } = options;
  const executionHost = {
    ...host,
    findEarlierWork: (run: RunId, root: string) =>
      committedBefore(state.journal, home.dir, run, root),
  };
  const pathOf = async (run: RunId): Promise<string | undefined> =>
    (await findSubmission(state.journal, run))?.path;
  const outputDir = (run: string): Promise<string> => state.outputDir(run);
  const budgetsForRun = budgetPools.of;
  const common = {
    ...executionHost,
    outputDir,
    findCommit: committedWork(state.journal, home.dir),
  };
  const environmentFor = attemptEnvironments(executionHost, {
    pauses,
    budgetsForRun,
    outputDir,
    onActivity,
    gateways,
    environments,
    pathOf,
  });
  const liveAttempts = new LiveAttempts();
  return [
    deliveryPerformer({ clock, liveAttempts }),
    attemptPerformer({
      ...common,
      liveAttempts,
      terminals,
      steering: steeringPorts({ journal: state.journal, signal, pauses }),
      node,
      environmentFor,
      onActivity,
      readSecrets: async (agent, run) => {
        environments.require(run, agent);
        return projectSecrets(options, agent, environments.secretsOf(run));
      },
      readBrief: (hash) => new Submissions(options, host).read(hash),
    }),
    onPathOf(pathOf, common, (ports): Performer<'setup'> => ({
      command: 'setup',
      perform: (request, context) => {
        const ownerEnv = environments.setupVariablesOf(request.run);
        const openBase = baseOfRun(executionHost);
        return setupPerformer({ ...ports, ownerEnv, openBase }).perform(request, context);
      },
    })),
    onPathOf(pathOf, common, (ports) => withSetupOfWork(gatePerformer(ports), state.journal)),
    onPathOf(pathOf, common, baselinePerformer),
    onPathOf(pathOf, { ...host, journal: state.journal }, collectStepPerformer),
    onPathOf(pathOf, host, (ports) =>
      prepareStepPerformer({
        host: ports,
        store: new BriefStore(briefsDir(home.dir)),
        submissionOf: (run) => findSubmission(state.journal, run),
        secretsOf: (run) => environments.secretsOf(run),
        admit: (key, visitor) => breakers.admit(key, visitor),
        early: earlyPrompts,
      }),
    ),
    finalizePerformer(common),
    commitWorkPerformer(common),
    openBasePerformer(common),
    mergeWorkPerformer(common),
    writeInterfacesPerformer(common),
    assessChangePerformer(executionHost),
    availabilityPerformer({
      clock,
      cooldowns,
      usage: new AgentUsageStore({ journal: state.journal, clock }),
    }),
    cooldownPerformer(cooldowns, clock),
    breakerPerformer(breakers, clock),
    claimItemPerformer({ clock }),
    releaseItemPerformer(),
    broadcastPerformer({ clock, signal, siblingsOf }),
    messagePerformer({ clock, signal, parentOf: (run) => agentParent(state.journal, run) }),
  ];
}
