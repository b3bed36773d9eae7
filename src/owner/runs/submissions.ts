/** Where the owner turns requests into submissions, with the brief of a role where one is named. */
import type { PinnedBrief } from '../../attempts/attempt.ts';
import { Refusal } from '../../base/errors.ts';
import { BriefStore } from '../../brief/brief-store.ts';
import { sandboxedCommand } from '../../brief/sandboxed-command.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Submission } from '../../protocol/event.ts';
import type { Settings } from '../../settings/settings.ts';
import type { TrustedProject } from '../../trust/trusted-project.ts';
import { briefsDir } from './unused-briefs.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { findDefaultAgent } from './default-agent.ts';
import { buildSubmission } from './submission.ts';

/** Where a prompt is kept under its hash. */
type Keep = Pick<BriefStore, 'keep'>;

/** A request with all that its role has settled. */
export type BriefedSubmission = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly brief?: PinnedBrief;
};

export class Submissions {
  readonly #options: OwnerOptions;
  readonly #executionHost: ExecutionHost;
  readonly #store: BriefStore;

  constructor(options: OwnerOptions, executionHost: ExecutionHost) {
    this.#options = options;
    this.#executionHost = executionHost;
    this.#store = new BriefStore(briefsDir(options.home.dir));
  }

  /** The prompt of a brief that some run has pinned. */
  read(hash: string): Promise<string> {
    return this.#store.read(hash);
  }

  async submission(
    wanted: RunRequest,
    given: Settings,
    project: TrustedProject,
  ): Promise<Submission> {
    const { request, settings, brief } = await this.brief(wanted, given, project);
    return buildSubmission(request, settings, await this.ready(request, settings), brief);
  }

  /** As it came where no role is named. */
  async brief(
    request: RunRequest,
    settings: Settings,
    project: TrustedProject,
    store: Keep = this.#store,
  ): Promise<BriefedSubmission> {
    const { role, targets = [] } = request;
    if (role === undefined) {
      if (targets.length > 0) throw targetsAlone();
      return { request, settings };
    }
    // Packing takes parsers and tokenizers: they are loaded when somebody wants them.
    const { briefRequest } = await import('./role-brief.ts');
    const { home, env } = this.#options;
    return briefRequest({ ...request, role }, settings, {
      home: home.dir,
      project,
      store,
      env,
      runCommand: this.#runCommand(request.project, settings.sandbox),
    });
  }

  /** Where nobody has named or configured an agent, one that is installed and logged in. */
  async ready(request: RunRequest, settings: Settings): Promise<string | null> {
    const isConfigured = settings.agents.length > 0 || settings.defaultAgent !== null;
    const isNamed = request.agent !== undefined || request.chain !== undefined;
    if (isConfigured || isNamed) return null;
    return findDefaultAgent(this.#executionHost, { unsafe: request.unsafe === true });
  }

  /** For the strategies that run one. */
  #runCommand(project: string, sandbox: Settings['sandbox']): (command: string) => Promise<string> {
    return (command) => {
      const { clock, luck, facts, userDir, stateDir, placeIdOf, choose, tagOf } =
        this.#executionHost;
      const ports = { clock, luck, facts: facts(), precious: { userDir, stateDir } };
      const place = { id: placeIdOf('context', 'command'), tag: tagOf('context', 'command') };
      return sandboxedCommand({ ...place, project, sandbox, choose, ports })(command);
    };
  }
}

function targetsAlone(): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: 'Targets are named, and no role that would be shown them.',
    hint: 'Name a role with --role; see them with: supervisor roles',
  });
}
