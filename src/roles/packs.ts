/** Role packs, one for each kind of project. A project enables the packs that it needs. */
export type Pack = {
  /** The name of the folder in the package. */
  readonly id: string;
  readonly title: string;
  readonly roles: readonly string[];
};

export const PACKS = [
  {
    id: 'frontend',
    title: 'Frontend',
    roles: ['ui_designer', 'component_builder', 'state_architect'],
  },
  { id: 'backend', title: 'Backend and API', roles: ['backend_dev', 'api_dev', 'db_optimizer'] },
  { id: 'data', title: 'Data pipeline', roles: ['data_engineer', 'schema_guard', 'etl_architect'] },
  { id: 'cli', title: 'Command line', roles: ['cli_ux_dev'] },
  { id: 'infra', title: 'Infrastructure', roles: ['infra_reviewer'] },
  { id: 'rust', title: 'Rust', roles: ['rust_dev', 'memory_safety_reviewer'] },
  { id: 'go', title: 'Go', roles: ['go_dev', 'concurrency_reviewer'] },
  { id: 'contracts', title: 'Smart contracts', roles: ['smart_contract_auditor'] },
  { id: 'trading', title: 'Trading', roles: ['trader', 'risk_manager', 'quant_dev'] },
] as const satisfies readonly Pack[];

export type PackId = (typeof PACKS)[number]['id'];
