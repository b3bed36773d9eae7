/** All JSON documents that Supervisor prints or sends, by name. `supervisor schema NAME` prints the JSON Schema of one. */
import { z } from 'zod';
import { AblationDocument } from './ablation-document.ts';
import { AgentDocument, TreeDocument } from './agent-documents.ts';
import { ApplyDocument } from './apply-result.ts';
import {
  ApprovalsDocument,
  EditDocument,
  ApproverDocument,
  ApproversDocument,
} from './approval-documents.ts';
import { SchedulesDocument } from './schedule-documents.ts';
import { BreakersDocument } from './breaker-documents.ts';
import { ErrorDocument } from './error-document.ts';
import {
  FeatureDocument,
  FeatureRunDocument,
  FeatureRunsDocument,
  FeaturesCheckDocument,
  DependenciesDocument,
} from './feature-documents.ts';
import { CapsuleDocument } from './capsule-document.ts';
import {
  AgentClisDocument,
  AgentsCheckDocument,
  DashboardDocument,
  DoctorDocument,
  DownDocument,
  JournalCopyDocument,
  OwnerDocument,
  OwnerServiceDocument,
  PreflightDocument,
  SandboxCheckDocument,
  SchemasDocument,
  VersionDocument,
} from './machine-documents.ts';
import { MessagesDocument } from './message-documents.ts';
import { MetricsDocument } from './metrics-document.ts';
import { ModelCallDocument } from './model-call-document.ts';
import { PricesCheckDocument, PricesDocument, PricesUpdateDocument } from './price-documents.ts';
import {
  ClassifyDocument,
  ContextDocument,
  InitDocument,
  PlanDocument,
  PlannedFeatureDocument,
  RoleFieldsDocument,
  RolesCheckDocument,
  WorkflowsCheckDocument,
  WorkflowsDocument,
  WorkflowStepsDocument,
  RolePackDocument,
  RolesDocument,
  SettingsDocument,
  TrustDocument,
  TrustedDocument,
} from './project-documents.ts';
import { EventDocument } from './public-event.ts';
import {
  CooldownsDocument,
  InboxDocument,
  LogsDocument,
  NotificationDocument,
  ReportDocument,
  WhyDocument,
} from './reading-documents.ts';
import { HookChangeDocument, HooksDocument, WatchedDocument } from './hook-documents.ts';
import { RunResult } from './run-result.ts';
import { StatusDocument } from './status-document.ts';
import { RollbackDocument, TaskCompletionDocument } from './task-documents.ts';
import { TurnsDocument } from './turns-document.ts';
import { SteeringReplayDocument, SteeringReportDocument } from './steering-documents.ts';
import { StepsReportDocument } from './steps-document.ts';
import {
  ArtifactsDocument,
  CheckpointsDocument,
  DiffDocument,
  DiscardDocument,
  PruneDocument,
} from './work-documents.ts';

const DOCUMENTS = {
  'run-result': RunResult,
  events: EventDocument,
  status: StatusDocument,
  error: ErrorDocument,
  notification: NotificationDocument,
  preflight: PreflightDocument,
  plan: PlanDocument,
  'planned-feature': PlannedFeatureDocument,
  agent: AgentDocument,
  tree: TreeDocument,
  logs: LogsDocument,
  'model-calls': ModelCallDocument,
  turns: TurnsDocument,
  hooks: HooksDocument,
  hook: HookChangeDocument,
  watched: WatchedDocument,
  'steering-replay': SteeringReplayDocument,
  'steering-report': SteeringReportDocument,
  checkpoints: CheckpointsDocument,
  diff: DiffDocument,
  apply: ApplyDocument,
  discard: DiscardDocument,
  'task-completion': TaskCompletionDocument,
  rollback: RollbackDocument,
  artifacts: ArtifactsDocument,
  prune: PruneDocument,
  messages: MessagesDocument,
  inbox: InboxDocument,
  why: WhyDocument,
  report: ReportDocument,
  'steps-report': StepsReportDocument,
  metrics: MetricsDocument,
  ablation: AblationDocument,
  cooldowns: CooldownsDocument,
  breakers: BreakersDocument,
  schedules: SchedulesDocument,
  prices: PricesDocument,
  'prices-update': PricesUpdateDocument,
  'prices-check': PricesCheckDocument,
  approvals: ApprovalsDocument,
  edit: EditDocument,
  approvers: ApproversDocument,
  approver: ApproverDocument,
  trust: TrustDocument,
  trusted: TrustedDocument,
  init: InitDocument,
  settings: SettingsDocument,
  'role-pack': RolePackDocument,
  roles: RolesDocument,
  'roles-check': RolesCheckDocument,
  'workflow-steps': WorkflowStepsDocument,
  workflows: WorkflowsDocument,
  'workflows-check': WorkflowsCheckDocument,
  feature: FeatureDocument,
  'features-check': FeaturesCheckDocument,
  dependencies: DependenciesDocument,
  'feature-run': FeatureRunDocument,
  'feature-runs': FeatureRunsDocument,
  'role-fields': RoleFieldsDocument,
  context: ContextDocument,
  'sandbox-check': SandboxCheckDocument,
  agents: AgentClisDocument,
  'agents-check': AgentsCheckDocument,
  classify: ClassifyDocument,
  doctor: DoctorDocument,
  owner: OwnerDocument,
  'owner-service': OwnerServiceDocument,
  dashboard: DashboardDocument,
  capsule: CapsuleDocument,
  down: DownDocument,
  'journal-copy': JournalCopyDocument,
  version: VersionDocument,
  schemas: SchemasDocument,
} as const satisfies Record<string, z.ZodType>;

export type DocumentName = keyof typeof DOCUMENTS;
/** What a command prints, of this kind. */
export type JsonDocument<Name extends DocumentName> = z.infer<(typeof DOCUMENTS)[Name]>;

export const DOCUMENT_NAMES = Object.keys(DOCUMENTS) as readonly DocumentName[];

/** A document in one sentence. */
export function describeDocument(name: DocumentName): string {
  return z.globalRegistry.get(DOCUMENTS[name])?.description ?? '';
}

export function documentJsonSchema(name: DocumentName): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(DOCUMENTS[name]), $id: `supervisor.${name}/1` };
}
