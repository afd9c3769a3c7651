/**
 * German and Dutch write compounds as one word. A search for "Nummer" must find "Bestellnummer", so chunks are also
 * indexed by the parts of their compounds. A part only counts if it is a word of the same document or one of these,
 * which are common in support content.
 */
const commonParts: Record<string, string> = {
  german: `abo abonnement abrechnung absender adresse aktion angebot angabe anfrage anleitung anmeldung antrag anwendung
    anzahl anzeige artikel aufnahme auftrag ausgabe auswahl ausweis bahn bank bearbeitung bedingung beitrag beleg benutzer
    berater bereich beschreibung bestätigung bestellung betrag betrieb bezahlung bild brief buch buchung code daten datei
    datum dauer dienst dokument druck drucker eingabe einkauf einrichtung einstellung empfang empfänger ende erinnerung
    erklärung ersatz erstattung fach farbe fehler feld filiale firma firmen form formular frage frist funktion garantie
    gebühr gerät geld geschenk gewicht gewähr grenze größe grund gruppe gutschein gutschrift haus hersteller hilfe hinweis
    inhalt jahr karte kasse kategorie kauf kennwort klasse konto kontakt kosten kredit kunde kunden kündigung kurs lager
    land laufzeit leistung lieferung liefer lager liste lösung mail marke menge meldung mitglied mitteilung modell monat
    muster nachricht nachweis name netz nummer nutzer nutzung objekt ordner ort paket partner passwort pauschale person
    plan platz post preis problem produkt programm prüfung punkt quittung rabatt raum rechnung recht regel reise
    reparatur reservierung retoure rückgabe rück sache schein schlüssel schluss schutz schritt seite sendung service
    sicherheit sicherung sitz software speicher sperre stand start status steuer stelle stornierung störung stück stunde
    system tag tarif tausch technik teil teilnehmer telefon termin ticket titel transport umtausch unternehmen verbindung
    verfahren verlauf vermittlung versand versicherung version vertrag verwaltung verzeichnis vorgang waren weg wechsel
    werk wert widerruf woche zahl zahlung zeichen zeit zeitraum zentrum zettel ziel zimmer zins zone zugang zubehör zustand
    zustellung`,
  dutch: `aanvraag abonnement account adres afspraak artikel bank bedrag bestelling betaling bewijs brief code
    datum dienst factuur formulier garantie gegevens gids instelling kaart klant kosten korting levering nummer pakket
    pagina pas plan prijs product punt rekening retour service status systeem tarief tijd toegang wachtwoord winkel`,
};

/** Linking elements between two parts: Bestellung-s-nummer, Karte-n-nummer. */
const links = ['', 's', 'es', 'n', 'en', 'er'];
const endings = ['', 'en', 'n', 'e', 's', 'es', 'er'];

const dictionaries = new Map(
  Object.entries(commonParts).map(([config, words]) => [config, new Set(words.split(/\s+/))] as const),
);

/** The parts that compounds of this language may consist of, or undefined if the language has no compounds. */
export function compoundParts(config: string, tokens: Iterable<string>): ReadonlySet<string> | undefined {
  const common = dictionaries.get(config);
  if (!common) return undefined;
  const dictionary = new Set(common);
  for (const token of tokens) if (token.length >= 5) dictionary.add(token);
  return dictionary;
}

/** Longer tokens are not natural language. */
const maxTokenLength = 60;

/** The known parts of a compound: Rückgabefrist -> frist, rückgabe. */
export function splitCompound(token: string, dictionary: ReadonlySet<string>): string[] {
  if (token.length < 8 || token.length > maxTokenLength) return [];
  for (let at = 3; at <= token.length - 3; at++) {
    const [head, tail] = [token.slice(0, at), token.slice(at)];
    if (!isInDictionary(tail, dictionary)) continue;
    const first = links
      .filter((link) => head.endsWith(link))
      .map((link) => head.slice(0, head.length - link.length))
      .find((part) => part.length >= 3 && dictionary.has(part));
    // A short tail may match by accident ("trag" is not a part of "Vertrag"), so then the head must be a word as well.
    if (!first && tail.length < 5) continue;
    return [tail, ...(first ? [first] : []), ...splitCompound(tail, dictionary)];
  }
  return [];
}

const isInDictionary = (token: string, dictionary: ReadonlySet<string>): boolean =>
  endings.some((ending) => {
    const stem = token.endsWith(ending) ? token.slice(0, token.length - ending.length) : '';
    return stem.length >= 3 && dictionary.has(stem);
  });
