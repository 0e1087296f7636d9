import type { Role } from '../../api/queries';

export const ROLES: readonly { value: Role; label: string; says: string }[] = [
  { value: 'owner', label: 'Owner', says: 'May do everything.' },
  { value: 'editor', label: 'Editor', says: 'May do everything but members, invitations and auth tokens.' },
  { value: 'viewer', label: 'Viewer', says: 'Sees everything but secrets, and changes nothing.' },
  { value: 'support', label: 'Support', says: 'Sees everything, and changes nothing.' },
];
