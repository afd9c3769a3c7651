/**
 * What people call the same thing when they ask for help. A line is one meaning; what stands between commas is matched by
 * its stem, so one form of a word is enough. Only words that mean the same wherever a product is sold or used.
 */
const lines: Record<string, string> = {
  english: `
    refund, money back, reimburse, reimbursement, get back paid, repay
    return, send back, give back, bring back
    exchange, swap, replace, replacement
    cancel, cancellation, terminate, termination, stop, end, quit, call off
    unsubscribe, opt out
    subscription, membership, plan, abo
    bill, invoice, receipt, billing
    price, cost, fee, charge, rate, pricing, expensive
    free, no charge, complimentary, at no cost, gratis
    pay, payment, paid, checkout
    payment method, credit card, direct debit, paypal
    discount, coupon, voucher, promo code, promotion, reduction, rebate
    delivery, deliver, shipping, ship, shipment, dispatch, arrive, send
    parcel, package, packet
    track, tracking, whereabouts
    late, delay, delayed, overdue
    order, purchase, buy, bought
    broken, defective, faulty, damaged, defect, kaputt
    not work, fail, failure, malfunction, problem, issue, trouble, error, fault
    repair, fix, mend, service
    warranty, guarantee
    password, passcode, passphrase
    forgot, forgotten, lost, reset
    login, log in, sign in, signin, logon, log on
    log out, sign out, logout
    locked out, blocked, suspended, locked
    sign up, register, registration, enrol, create account, join
    account, profile
    delete, remove, erase, close
    change, update, edit, modify, alter, switch, amend
    upgrade, higher plan
    downgrade, lower plan
    install, set up, setup, installation, configure
    start, begin, launch, activate, enable, turn on, switch on
    deactivate, disable, turn off, switch off, off
    contact, reach, phone, call, telephone, hotline, speak, talk, get in touch
    support, customer service, helpdesk
    open, opening hours, business hours, office hours
    company, business, firm, organisation, organization, enterprise
    employee, staff, colleague, worker, coworker, teammate
    vacation, holiday, time off, annual leave, paid leave, pto, leave
    sick, ill, illness, sickness
    salary, wage, pay, paycheck, payroll
    remote, home office, work from home, telework
    expense, travel costs, reimbursement
    notice, notice period
    two-factor, 2fa, two-step, mfa, second factor, authenticator
    invite, add, invitation
    user, member, seat
    permission, access, rights, role
    allow, permitted, allowed, may
    data protection, privacy, gdpr, personal data
    export, download
    import, upload
    backup, restore, recovery, recover
    limit, maximum, quota, cap, at most
    minimum, at least
    duration, how long, period, term
    deadline, time limit, due date, expire, expiry, valid
    noise, loud, noisy
    clean, cleaning, wash
    battery, charge, charging, power
    connect, connection, pair, pairing, link
    internet, wifi, wireless, wlan, network, offline
    slow, performance, lag, speed
    update, new version, firmware
    size, dimensions, measurements
    weight, heavy, weigh
    address, move, relocate, moved
    abroad, overseas, foreign, international, other countries, outside
    lost, missing, disappeared, stolen
    emergency, urgent, urgently
    complaint, complain, dissatisfied
    pet, dog, cat, animal
    car, vehicle, parking
    child, children, kid, kids
    gift, present
    appointment, booking, reservation, book, reserve, schedule
    insurance, insured, cover, coverage
    language, translation
    notification, alert, reminder
    cellphone, mobile, smartphone, phone, iphone, android
    computer, laptop, desktop, pc, mac
    required, mandatory, necessary, must, require
    merge, combine
    combine, together
    rename, change name
    student, pupil, school, university
    safe, secure, security, protect`,
  german: `
    rückerstattung, erstattung, geld zurück, erstatten, zurückzahlen, rückzahlung, gutschrift, zurückerstatten
    rückgabe, zurückgeben, zurückschicken, rücksendung, retoure, zurücksenden, retournieren
    umtausch, umtauschen, austauschen, ersatz, tauschen, austausch, ersetzen
    kündigen, kündigung, beenden, stornieren, stornierung, auflösen, abbestellen, storno
    widerruf, widerrufen, rücktritt
    abo, abonnement, mitgliedschaft, vertrag, tarif
    rechnung, beleg, quittung, faktura, abrechnung
    preis, kosten, gebühr, kostet, entgelt, teuer, tarif
    kostenlos, gratis, umsonst, kostenfrei, gebührenfrei
    zahlen, bezahlen, zahlung, bezahlung, begleichen
    zahlungsart, zahlungsmittel, zahlungsmethode, kreditkarte, lastschrift
    rabatt, gutschein, nachlass, ermäßigung, skonto, preisnachlass, aktionscode, vergünstigung
    lieferung, liefern, versand, versenden, zustellung, zustellen, ankommen, verschicken, geliefert
    paket, päckchen, sendung
    sendungsverfolgung, verfolgen, tracking, sendungsnummer
    verspätung, verspätet, verzögerung, zu spät
    bestellung, bestellen, kaufen, kauf, auftrag, einkauf
    kaputt, defekt, beschädigt, fehlerhaft, mangel, schaden
    funktioniert nicht, geht nicht, fehler, problem, störung, ausfall
    reparatur, reparieren, instandsetzen, beheben
    garantie, gewährleistung
    passwort, kennwort, zugangsdaten
    vergessen, zurücksetzen, verloren
    anmelden, einloggen, anmeldung, login
    abmelden, ausloggen, logout
    gesperrt, ausgesperrt, blockiert, sperren, sperrung
    registrieren, registrierung, konto anlegen, konto erstellen, beitreten
    konto, account, benutzerkonto, profil, kundenkonto
    löschen, entfernen, löschung, schließen
    ändern, änderung, wechseln, bearbeiten, aktualisieren, anpassen, umstellen
    installieren, einrichten, installation, einrichtung, aufsetzen, konfigurieren
    aktivieren, einschalten, anschalten, freischalten, starten
    deaktivieren, ausschalten, abschalten, abstellen
    kontakt, erreichen, anrufen, telefon, hotline, telefonisch, sprechen
    kundendienst, kundenservice, support
    öffnungszeiten, geöffnet, geschäftszeiten, sprechzeiten
    firma, unternehmen, betrieb, gesellschaft
    mitarbeiter, beschäftigte, angestellte, kollege, arbeitnehmer, personal
    urlaub, ferien, freie tage, urlaubstage, frei
    krank, krankheit, krankmeldung, krankschreibung, arbeitsunfähig, attest
    gehalt, lohn, bezahlung, vergütung, verdienst
    homeoffice, telearbeit, zu hause, mobiles arbeiten, zuhause
    spesen, reisekosten, auslagen
    kündigungsfrist, frist
    zwei-faktor, 2fa, zweiter faktor, authenticator
    einladen, hinzufügen, einladung
    benutzer, nutzer, mitglied, anwender
    berechtigung, rechte, zugriff, rolle, zugang
    erlaubt, gestattet, zulässig, verboten
    datenschutz, dsgvo, personenbezogene daten
    exportieren, herunterladen, export, download
    importieren, hochladen, import, upload
    sicherung, backup, wiederherstellen, datensicherung, wiederherstellung
    höchstens, maximal, grenze, limit, maximum, höchstbetrag
    mindestens, minimum, mindestbetrag
    dauer, dauert, laufzeit, zeitraum
    frist, ablaufen, gültig, ablauf, gültigkeit
    laut, lärm, geräusch
    reinigen, putzen, säubern, reinigung, sauber
    akku, batterie, laden, aufladen
    verbinden, verbindung, koppeln, kopplung
    internet, wlan, netz, netzwerk
    langsam, geschwindigkeit
    update, aktualisierung, neue version, firmware
    größe, maße, abmessungen
    gewicht, schwer, wiegt
    adresse, anschrift, umzug, umziehen, umgezogen
    ausland, andere länder, international
    verloren, verlust, weg, gestohlen, diebstahl, abhanden
    notfall, dringend, eilig
    beschwerde, reklamation, reklamieren, beanstandung, beschweren
    haustier, hund, katze, tier
    auto, fahrzeug, pkw, parken, parkplatz
    kind, kinder
    geschenk, verschenken
    termin, buchung, reservierung, buchen, reservieren
    versicherung, versichert
    benachrichtigung, hinweis, erinnerung
    handy, smartphone, mobiltelefon
    rechner, computer, laptop, pc
    pflicht, erforderlich, notwendig, nötig, verpflichtend
    student, schüler, studierende
    sicher, sicherheit, schützen, schutz`,
  french: `
    remboursement, rembourser, argent
    retour, retourner, renvoyer
    échange, échanger, remplacer, remplacement
    annuler, annulation, résilier, résiliation, arrêter
    abonnement, forfait, adhésion
    facture, reçu, facturation
    prix, coût, tarif, frais, coûte
    gratuit, gratuitement, sans frais
    payer, paiement, régler, règlement
    réduction, remise, promo, promotion, bon
    livraison, livrer, expédition, expédier, envoi, envoyer
    colis, paquet
    retard, tard
    commande, commander, acheter, achat
    cassé, défectueux, endommagé, panne, abîmé
    erreur, problème, dysfonctionnement
    réparer, réparation
    garantie
    mot de passe, code
    oublié, perdu, réinitialiser
    connexion, connecter, identifier
    inscription, inscrire, créer compte
    compte, profil
    supprimer, effacer, suppression, fermer
    modifier, changer, modification, changement
    installer, installation, configurer
    contacter, contact, téléphone, appeler, joindre
    horaires, ouvert, ouverture
    entreprise, société
    employé, salarié, personnel
    congés, vacances
    salaire, paie, rémunération
    délai, durée
    adresse, déménager, déménagement`,
  spanish: `
    reembolso, reembolsar, devolución dinero, devolver dinero
    devolución, devolver
    cambio, cambiar, reemplazo, sustituir
    cancelar, cancelación, dar de baja, anular
    suscripción, plan, membresía
    factura, recibo, facturación
    precio, costo, coste, tarifa, cuesta, cuota
    gratis, gratuito, gratuita
    pagar, pago, abonar
    descuento, cupón, promoción, rebaja
    envío, enviar, entrega, entregar
    paquete
    retraso, demora
    pedido, comprar, compra, pedir
    roto, defectuoso, dañado, averiado
    error, problema, fallo
    reparar, reparación, arreglar
    garantía
    contraseña, clave
    olvidado, olvidé, perdido, restablecer
    iniciar sesión, acceder, entrar
    registrarse, registro, crear cuenta
    cuenta, perfil
    eliminar, borrar, cerrar
    modificar, cambiar, editar
    instalar, instalación, configurar
    contactar, contacto, teléfono, llamar
    horario, abierto
    empresa, compañía
    empleado, trabajador, personal
    vacaciones, días libres
    salario, sueldo, nómina
    plazo, duración
    dirección, mudanza`,
};

/** For each configuration, meanings; for each meaning, what it may be called. */
export const synonyms: ReadonlyMap<string, readonly string[][]> = new Map(
  Object.entries(lines).map(([config, text]) => [
    config,
    text
      .trim()
      .split('\n')
      .map((line) => line.split(',').map((term) => term.trim())),
  ]),
);
