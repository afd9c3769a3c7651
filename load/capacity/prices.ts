/** List prices, in US dollars. They change: replace them by those of your provider before you decide on them. */
export interface Prices {
  /** Where they are from, and when. Shown with every cost. */
  source: string;
  /** Virtual machines by the hour, the smallest first. */
  machines: readonly Machine[];
  /** The same with twice the memory, for databases. */
  databaseMachines: readonly Machine[];
  ssdGbMonth: number;
  objectStorageGbMonth: number;
  /** To the internet. */
  trafficGb: number;
}

export interface Machine {
  name: string;
  vcpus: number;
  memoryGb: number;
  hour: number;
}

const machine = (name: string, vcpus: number, memoryGb: number, hour: number): Machine => ({
  name,
  vcpus,
  memoryGb,
  hour,
});

/** An example, because these prices can be verified in public files: not a recommendation. */
export const examplePrices: Prices = {
  source:
    'Google Cloud, region us-central1, on demand. Machines: as its price API listed them on 2026-08-21, according to `catalogs/v8/gcp/vms.csv` of [skypilot-catalog](https://github.com/skypilot-org/skypilot-catalog) at ed9b4fbb. SSD persistent disks $0.17 per GB and month ([disk pricing](https://cloud.google.com/compute/disks-image-pricing)), standard object storage $0.020 and traffic to the internet $0.12 per GB, its first and most expensive step ([storage pricing](https://cloud.google.com/storage/pricing-examples)): read on 2026-11-19 in copies of these pages that have no date',
  machines: [
    machine('n2-standard-2', 2, 8, 0.09712),
    machine('n2-standard-4', 4, 16, 0.19424),
    machine('n2-standard-8', 8, 32, 0.38847),
  ],
  databaseMachines: [
    machine('n2-highmem-2', 2, 16, 0.13101),
    machine('n2-highmem-4', 4, 32, 0.26203),
    machine('n2-highmem-8', 8, 64, 0.52406),
    machine('n2-highmem-16', 16, 128, 1.04811),
    machine('n2-highmem-32', 32, 256, 2.09622),
  ],
  ssdGbMonth: 0.17,
  objectStorageGbMonth: 0.02,
  trafficGb: 0.12,
};
