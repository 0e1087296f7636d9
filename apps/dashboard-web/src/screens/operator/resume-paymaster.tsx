import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, contentOf, SDK } from '../../api/client';
import { tenantsKey, type Schemas } from '../../api/queries';
import { asked, Confirm } from '../../ui/confirm';

export function ResumePaymaster({ paymaster }: { readonly paymaster: Schemas['TenantPaymasterView'] }) {
  const { paymasterId, name } = paymaster;
  const queries = useQueryClient();
  const resume = useMutation({
    mutationFn: () =>
      contentOf(api.POST(`${SDK}/operator/paymaster/{paymasterId}/resume`, { params: { path: { paymasterId } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: tenantsKey }),
  });
  return (
    <Confirm action="Resume" label={`Resume ${name}`} {...asked(resume)}>
      Gateways sign for {name} again at once, as its owner set it up. Make sure first that what you suspended it for is
      over.
    </Confirm>
  );
}
