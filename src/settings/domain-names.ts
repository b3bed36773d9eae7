/**
 * The names of domains that the files of an organization use, and the kind of work that each means. A name that no work
 * can have would be a role that is never chosen, so it is refused.
 */
import type { TaskDomain } from '../protocol/contracts/organization-contract.ts';
import { TASK_DOMAINS } from '../protocol/contracts/organization-contract.ts';

const ALIASES: Readonly<Record<TaskDomain, readonly string[]>> = {
  coding: ['codegen', 'refactor', 'bugfix', 'skill_building', 'config_edit'],
  testing: ['test', 'qa'],
  operations: ['docker_ops', 'git_ops', 'dependency_mgmt', 'devops'],
  research: ['analysis', 'osint', 'log_analysis', 'data_transform', 'api_integration'],
  conversation: ['conversational'],
};

export const DOMAIN_NAMES: Readonly<Record<string, TaskDomain>> = Object.assign(
  Object.create(null),
  ...TASK_DOMAINS.map((domain) =>
    Object.fromEntries([domain, ...ALIASES[domain]].map((name) => [name, domain])),
  ),
);

export function domainNames(): string {
  return Object.keys(DOMAIN_NAMES).join(', ');
}
