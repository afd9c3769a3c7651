/** What the demo's bot knows until somebody gives it more. */
export const demoPassages = [
  {
    heading: 'Delivery',
    body: 'Delivery within Germany takes two to four working days and costs €4.90. Orders above €60 are delivered free of charge. Complete bikes come by a forwarder, who calls you to agree on a day.',
  },
  {
    heading: 'Returns and refunds',
    body: 'You can send anything back within 30 days, without giving a reason. Print the return label from your account and hand the parcel in at any post office. We refund the whole price within five working days after it has arrived.',
  },
  {
    heading: 'Opening hours',
    body: 'Our shop in Hamburg is open from Monday to Saturday, 10 am to 7 pm. The workshop closes at 6 pm. We are closed on public holidays.',
  },
  {
    heading: 'Battery care',
    body: 'Charge the battery indoors, at 10 to 25 °C. For a break of more than four weeks store it half full, in a dry place, away from frost. A full charge takes about four hours.',
  },
  {
    heading: 'Warranty',
    body: 'The frame is guaranteed for ten years, motor and battery for two years or 500 charging cycles. Wear, such as tyres and brake pads, is not covered. Keep the invoice: it is the proof of purchase.',
  },
  {
    heading: 'Repair appointments',
    body: 'Book a repair in your account under “Service”. A small service takes a day and costs €69, a large one two days and €129. Parts are extra, and we call you before we fit any that cost more than €40.',
  },
];
