/** The requests to the owner about long-lived agents. */
import { DeclaredAgents, AgentView } from '../protocol/views/agent-view.ts';
import type { SpawnRequest } from '../protocol/views/agent-view.ts';
import { defined } from '../base/defined.ts';
import type { ShellEnvironment } from './shell-environment.ts';
import type { TransportCall } from './transport.ts';
import { commandCall } from './transport.ts';

export class AgentsClient {
  readonly #json: (path: string, call: TransportCall) => Promise<unknown>;
  readonly #shell: Pick<ShellEnvironment, 'forRequest'>;

  constructor(
    json: (path: string, call: TransportCall) => Promise<unknown>,
    shell: Pick<ShellEnvironment, 'forRequest'>,
  ) {
    this.#json = json;
    this.#shell = shell;
  }

  async spawn(request: SpawnRequest, key?: string): Promise<AgentView> {
    const { project, agent, model, unsafe, set, untrusted } = request;
    const agents = { project, ...defined({ agent, model, unsafe, set, untrusted }) };
    const body = { ...request, ...(await this.#shell.forRequest(agents)) };
    return AgentView.parse(await this.#json('/v1/agents', commandCall(key, body)));
  }

  /** The agents of a project, or of all projects, including ended ones. */
  async list(project?: string): Promise<readonly AgentView[]> {
    return AgentView.array().parse(
      await this.#json(`/v1/agents${inProject(project)}`, { method: 'GET' }),
    );
  }

  /** `id`, here and below: the id of the agent, or its name in that project. */
  async view(id: string, project?: string): Promise<AgentView> {
    const path = `${agentPath(id)}${inProject(project)}`;
    return AgentView.parse(await this.#json(path, { method: 'GET' }));
  }

  async send(id: string, text: string, project?: string, key?: string): Promise<AgentView> {
    const call = commandCall(key, { text, project });
    return AgentView.parse(await this.#json(`${agentPath(id)}/messages`, call));
  }

  async dismiss(id: string, because?: string, project?: string, key?: string): Promise<AgentView> {
    const call = commandCall(key, { because, project });
    return AgentView.parse(await this.#json(`${agentPath(id)}/dismiss`, call));
  }

  /** Rejects the agent's work. The agent starts again and receives the feedback. */
  async reject(id: string, feedback: string, project?: string, key?: string): Promise<AgentView> {
    const call = commandCall(key, { feedback, project });
    return AgentView.parse(await this.#json(`${agentPath(id)}/reject`, call));
  }

  /** Starts the agents that the configuration of a project declares. */
  async declare(
    project: string,
    { untrusted = false }: { readonly untrusted?: boolean } = {},
  ): Promise<DeclaredAgents> {
    const given = await this.#shell.forRequest({ project, any: true, untrusted });
    const call: TransportCall = {
      method: 'POST',
      body: { project, ...(untrusted ? { untrusted } : {}), ...given },
    };
    return DeclaredAgents.parse(await this.#json('/v1/agents/declare', call));
  }
}

function agentPath(id: string): string {
  return `/v1/agents/${encodeURIComponent(id)}`;
}

function inProject(project: string | undefined): string {
  return project === undefined ? '' : `?${new URLSearchParams({ project }).toString()}`;
}
