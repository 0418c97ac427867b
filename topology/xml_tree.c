/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/xml_tree.h"

#include "data/number.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a parser has met. */
typedef struct guard {
    size_t depth, elements;
    const char *wrong;
    int line;
} guard;

static void stop(xmlParserCtxt *parser, const char *wrong)
{
    guard *g = parser->_private;
    if (g->wrong == NULL) {
        g->wrong = wrong;
        g->line = xmlSAX2GetLineNumber(parser);
    }
    xmlStopParser(parser);
}

static void start_element(void *context, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *uri, int namespaces, const xmlChar **spaces,
                          int attributes, int defaulted, const xmlChar **values)
{
    xmlParserCtxt *parser = context;
    guard *g = parser->_private;
    if (++g->depth > CLUMP_XML_MOST_DEPTH)
        stop(parser, "elements are nested too deeply for a node");
    else if (++g->elements > CLUMP_XML_MOST_ELEMENTS)
        stop(parser, "there are too many elements for a node");
    else
        xmlSAX2StartElementNs(context, name, prefix, uri, namespaces, spaces, attributes, defaulted,
                              values);
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *uri)
{
    xmlParserCtxt *parser = context;
    ((guard *)parser->_private)->depth--;
    xmlSAX2EndElementNs(context, name, prefix, uri);
}

/* By entities a small document becomes a huge one, or takes in other files; no description of a node has any. */
static void entity(void *context, const xmlChar *name, int type, const xmlChar *public_name,
                   const xmlChar *system, xmlChar *content)
{
    (void)name, (void)type, (void)public_name, (void)system, (void)content;
    stop(context, "it defines an entity");
}

/* A document type is named (hwloc does), but never fetched. */
static void subset(void *context, const xmlChar *name, const xmlChar *public_name,
                   const xmlChar *system)
{
    (void)context, (void)name, (void)public_name, (void)system;
}

static void quiet(void *context, const char *format, ...)
{
    (void)context, (void)format;
}

/* Attributes that a document type gives to elements are compared with each other for every element. */
static void attribute_list(void *context, const xmlChar *element, const xmlChar *name, int type,
                           int standard, const xmlChar *value, xmlEnumeration *values)
{
    (void)element, (void)name, (void)type, (void)standard, (void)value;
    stop(context, "it declares attributes");
    xmlFreeEnumeration(values);
}

/* In others (UTF-7) the signs that limits look for have other bytes. */
static bool is_known(const char *encoding)
{
    static const char *const known[] = {"UTF-8",      "UTF-16",      "UTF-16LE",
                                        "UTF-16BE",   "ASCII",       "US-ASCII",
                                        "ISO-8859-1", "ISO-8859-15", "windows-1252"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(encoding, known[i]) == 0)
            return true;
    return false;
}

static void start_document(void *context)
{
    xmlParserCtxt *parser = context;
    const xmlChar *declared = parser->encoding;
    if (declared == NULL && parser->input != NULL)
        declared = parser->input->encoding;
    if (declared != NULL && !is_known((const char *)declared))
        stop(parser, "it is written in another encoding than UTF-8, UTF-16 or ISO-8859-1");
    else
        xmlSAX2StartDocument(context);
}

/* Whether some element has too many attributes, each of which the parser compares with all before it. Counts what
 * stands before the next element, too, but for comments and instructions; in UTF-16 every other byte is passed by. */
static bool has_many_attributes(const char *bytes, size_t size)
{
    const char *const end = bytes + size;
    for (const char *at = memchr(bytes, '<', size), *next; at != NULL; at = next) {
        const char *first = at + 1;
        while (first < end && *first == '\0')
            first++;
        next = first < end ? memchr(first, '<', (size_t)(end - first)) : NULL;
        const char *const last = next != NULL ? next : end;
        if (first < end && (*first == '!' || *first == '?'))
            continue;
        size_t count = 0;
        while ((first = memchr(first, '=', (size_t)(last - first))) != NULL) {
            first++;
            count++;
        }
        if (count > CLUMP_XML_MOST_ATTRIBUTES)
            return true;
    }
    return false;
}

/* What is wrong with the encoding goes past the parser's own messages. */
#if LIBXML_VERSION >= 21200
static void ignore(void *context, const xmlError *error)
#else
static void ignore(void *context, xmlError *error)
#endif
{
    (void)context, (void)error;
}

/* The parser's own messages quote what is there: somebody else's script may have named any file, and shall not show it. */
static const char *describe(int code)
{
    switch (code) {
    case XML_ERR_DOCUMENT_EMPTY:
    case XML_ERR_DOCUMENT_END:
        return ": found its end, expected an element";
    case XML_ERR_TAG_NAME_MISMATCH:
        return ": found an end tag of another element than was begun last";
    case XML_ERR_TAG_NOT_FINISHED:
    case XML_ERR_GT_REQUIRED:
    case XML_ERR_LTSLASH_REQUIRED:
        return ": found a tag that does not end";
    case XML_ERR_ATTRIBUTE_NOT_STARTED:
    case XML_ERR_ATTRIBUTE_WITHOUT_VALUE:
        return ": found an attribute without value";
    case XML_ERR_ATTRIBUTE_REDEFINED:
        return ": found an attribute twice";
    case XML_ERR_UNDECLARED_ENTITY:
        return ": found an entity that is not defined";
    case XML_ERR_INVALID_CHAR:
    case XML_ERR_INVALID_ENCODING:
        return ": found bytes that are no text in its encoding";
    default:
        return "";
    }
}

clump_status clump_xml_read(const char *bytes, size_t size, xmlDoc **document, clump_error *error)
{
    guard g = {.wrong = NULL};
    *document = NULL;
    if (size > CLUMP_XML_MOST_BYTES)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "it has %zu bytes, expected %d at most for a node", size,
                          CLUMP_XML_MOST_BYTES);
    if (has_many_attributes(bytes, size))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "an element has more than %d attributes, too many for a node",
                          CLUMP_XML_MOST_ATTRIBUTES);
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (parser == NULL)
        return clump_fail_memory(error, "reading XML");
    parser->_private = &g;
    parser->sax->startElementNs = start_element;
    parser->sax->endElementNs = end_element;
    parser->sax->entityDecl = entity;
    parser->sax->unparsedEntityDecl = NULL;
    parser->sax->attributeDecl = attribute_list;
    parser->sax->startDocument = start_document;
    parser->sax->internalSubset = subset;
    parser->sax->externalSubset = subset;
    parser->sax->error = parser->sax->warning = quiet;
    const xmlStructuredErrorFunc before = xmlStructuredError;
    void *const context = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(NULL, ignore);
    xmlDoc *found = xmlCtxtReadMemory(parser, bytes, (int)size, NULL, NULL,
                                      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                          XML_PARSE_NOBLANKS | XML_PARSE_NOCDATA);
    xmlSetStructuredErrorFunc(context, before);
    const bool whole = parser->wellFormed && found != NULL && g.wrong == NULL;
    const xmlError last = parser->lastError;
    clump_status status = CLUMP_OK;
    if (g.wrong != NULL)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT, "line %d: %s", g.line, g.wrong);
    else if (!whole && last.code == XML_ERR_NO_MEMORY)
        status = clump_fail_memory(error, "reading XML");
    else if (!whole)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT, "line %d: not well-formed XML%s", last.line,
                            describe(last.code));
    xmlFreeParserCtxt(parser);
    if (status == CLUMP_OK)
        *document = found;
    else if (found != NULL)
        xmlFreeDoc(found);
    return status;
}

const char *clump_xml_attribute(const xmlNode *element, const char *name, char *text, size_t room)
{
    *text = '\0';
    for (const xmlAttr *a = element->properties; a != NULL; a = a->next)
        if (strcmp((const char *)a->name, name) == 0 && a->children != NULL &&
            a->children->type == XML_TEXT_NODE && a->children->content != NULL)
            snprintf(text, room, "%s", (const char *)a->children->content);
    return text;
}

/* "0x10" is 16, as programs that take these files read it. */
static bool read_hexadecimal(const char *text, double *value)
{
    const size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > 8 || text[2 + digits] != '\0')
        return false;
    *value = (double)strtoul(text + 2, NULL, 16);
    return true;
}

static bool read_number(const char *text, double *value)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
               ? read_hexadecimal(text, value)
               : clump_number_read(text, strlen(text), value);
}

double clump_xml_number(const xmlNode *element, const char *name)
{
    char text[64];
    double value = 0;
    clump_xml_attribute(element, name, text, sizeof text);
    return read_number(text, &value) ? value : 0;
}

clump_status clump_xml_read_number(const xmlNode *element, const char *name, double most,
                                   const char *expected, double *value, clump_error *error)
{
    char text[64];
    clump_xml_attribute(element, name, text, sizeof text);
    *value = 0;
    if (*text == '\0' || (read_number(text, value) && *value <= most))
        return CLUMP_OK;
    for (char *c = text; *c != '\0'; c++)
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "line %ld: %s is '%.40s', expected %s",
                      xmlGetLineNo(element), name, text, expected);
}

bool clump_xml_is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}
