/** What a face can ask of the owner about agents that live long. */
import { DeclaredAgents, AgentView } from '../protocol/views/agent-view.ts';
import type { SpawnRequest } from '../protocol/views/agent-view.ts';
import type { TransportCall } from './transport.ts';
import { commandCall } from './transport.ts';

export class AgentsClient {
  readonly #json: (path: string, call: TransportCall) => Promise<unknown>;

  constructor(json: (path: string, call: TransportCall) => Promise<unknown>) {
    this.#json = json;
  }

  async spawn(request: SpawnRequest, key?: string): Promise<AgentView> {
    return AgentView.parse(await this.#json('/v1/agents', commandCall(key, request)));
  }

  /** Of a project, or of all; the dead too. */
  async list(project?: string): Promise<readonly AgentView[]> {
    return AgentView.array().parse(
      await this.#json(`/v1/agents${inProject(project)}`, { method: 'GET' }),
    );
  }

  /** By its id, or by its name in that project; the same for those below. */
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

  /** Its work is wrong: it begins again, and is told why. */
  async reject(id: string, feedback: string, project?: string, key?: string): Promise<AgentView> {
    const call = commandCall(key, { feedback, project });
    return AgentView.parse(await this.#json(`${agentPath(id)}/reject`, call));
  }

  /** Brings up those that the configuration of a project names. */
  async declare(
    project: string,
    { untrusted = false }: { readonly untrusted?: boolean } = {},
  ): Promise<DeclaredAgents> {
    const call: TransportCall = {
      method: 'POST',
      body: { project, ...(untrusted ? { untrusted } : {}) },
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
